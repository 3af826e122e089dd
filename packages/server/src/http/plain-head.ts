/** The headers that operations read, in lower case. */
export interface PlainHeaders {
  readonly 'x-stamp'?: string;
  readonly 'x-stamp-webauthn'?: string;
  readonly 'x-session'?: string;
  readonly 'x-forwarded-for'?: string;
  readonly 'x-client-version'?: string;
}

/** The head of a plain request, and where its body is. */
export interface PlainHead {
  readonly path: string;
  readonly headers: PlainHeaders;
  readonly bodyStart: number;
  readonly bodyLength: number;
}

/** Below the 16 KB that node:http reads. */
const MAX_HEAD_BYTES = 12_288;

const END_OF_HEAD = Buffer.from('\r\n\r\n');

/**
 * The request line and the field lines of RFC 9112 sections 3 and 5, without what is optional or obsolete: no query, no white space
 * before the colon, no folded line, one CRLF after each line, and nothing beyond ASCII.
 */
const PLAIN = /^POST (\/[\w./-]*) HTTP\/1\.1\r\n(?:[A-Za-z-]+:[\t -~]*\r\n)+$/;

/** No sign, no leading zero, and not zero. */
const LENGTH = /^[1-9]\d{0,7}$/;

/** What a plain body may be declared as. node:http judges every other declaration. */
const JSON_TYPE = /^application\/json(; ?charset=utf-8)?$/i;

/** What each header may say in a plain request. Most change nothing here, whatever they say. */
const allowed: ReadonlyMap<string, RegExp | undefined> = new Map([
  ['host', undefined],
  ['content-length', LENGTH],
  ['content-type', JSON_TYPE],
  ['connection', /^keep-alive$/i],
  ['x-stamp', undefined],
  ['x-stamp-webauthn', undefined],
  ['x-session', undefined],
  ['x-forwarded-for', undefined],
  ['x-forwarded-host', undefined],
  ['x-forwarded-proto', undefined],
  ['x-client-version', undefined],
  ['user-agent', undefined],
  ['accept', undefined],
  ['accept-encoding', undefined],
  ['accept-language', undefined],
  ['sec-fetch-mode', undefined],
]);

/**
 * Reads the head of a request in its plainest form. Undefined for everything else, be it wrong or only unusual: node:http reads that from
 * the first byte, and it alone refuses.
 * SECURITY: what is taken here can be read in one way only. Every header is known, and is given once. There is one length and no transfer
 * coding, so no two readers disagree on where the body ends.
 */
export function readPlainHead(bytes: Buffer): PlainHead | undefined {
  const end = bytes.indexOf(END_OF_HEAD);
  if (end === -1 || end > MAX_HEAD_BYTES) return undefined;
  const text = bytes.toString('latin1', 0, end + 2);
  const path = PLAIN.exec(text)?.[1];
  if (path === undefined) return undefined;
  const fields = readFields(text, text.indexOf('\r\n') + 2);
  const length = fields?.get('content-length');
  if (fields === undefined || length === undefined || !fields.has('host') || !fields.has('content-type')) return undefined;
  return { path, headers: headersOf(fields), bodyStart: end + 4, bodyLength: Number(length) };
}

/** INVARIANT: the text from `start` on is lines of a name, a colon, a value and CRLF. */
function readFields(text: string, start: number): Map<string, string> | undefined {
  const fields = new Map<string, string>();
  for (let at = start; at < text.length; ) {
    const colon = text.indexOf(':', at);
    const next = text.indexOf('\r\n', colon);
    const name = text.slice(at, colon).toLowerCase();
    // RFC 9110 section 5.5: white space around a value does not belong to it.
    const value = text.slice(colon + 1, next).trim();
    const rule = allowed.get(name);
    if (rule === undefined ? !allowed.has(name) : !rule.test(value)) return undefined;
    if (fields.has(name)) return undefined;
    fields.set(name, value);
    at = next + 2;
  }
  return fields;
}

function headersOf(fields: ReadonlyMap<string, string>): PlainHeaders {
  const headers: Record<string, string> = {};
  for (const name of ['x-stamp', 'x-stamp-webauthn', 'x-session', 'x-forwarded-for', 'x-client-version']) {
    const value = fields.get(name);
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}
