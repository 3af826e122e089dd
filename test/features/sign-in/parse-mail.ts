/** A mail as its reader sees it. Implements the parts of RFC 2045 to 2047 that this service's mails use. */
export interface ParsedMail {
  /** By lower-case name, decoded. */
  readonly headers: Readonly<Record<string, string>>;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

interface Entity {
  readonly headers: Record<string, string>;
  readonly body: string;
}

export function parseMail(raw: Buffer): ParsedMail {
  const { headers, body } = parseEntity(raw.toString('latin1'));
  const boundary = /boundary="?([^";]+)"?/.exec(headers['content-type'] ?? '')?.[1];
  if (boundary === undefined) throw new Error('a mail has a text and an HTML part');
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => parseEntity(part.replace(/^\r\n/, '')));
  const part = (type: string) => decodeBody(parts.find((each) => each.headers['content-type']?.startsWith(type)) as Entity);
  return { headers, subject: headers.subject ?? '', text: part('text/plain'), html: part('text/html') };
}

function parseEntity(text: string): Entity {
  const end = text.indexOf('\r\n\r\n');
  const headers: Record<string, string> = {};
  for (const line of text
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = decodeWords(line.slice(colon + 1).trim());
  }
  return { headers, body: text.slice(end + 4) };
}

function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString('utf8')
        : Buffer.from(unquote(word.replaceAll('_', ' ')), 'latin1').toString('utf8'),
    );
}

function decodeBody({ headers, body }: Entity): string {
  const encoding = headers['content-transfer-encoding']?.toLowerCase() ?? '7bit';
  const bytes =
    encoding === 'base64'
      ? Buffer.from(body, 'base64')
      : Buffer.from(encoding === 'quoted-printable' ? unquote(body.replace(/=\r\n/g, '')) : body, 'latin1');
  return bytes.toString('utf8').replaceAll('\r\n', '\n').trimEnd();
}

const unquote = (text: string) =>
  text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
