/** Tags of X.690. */
const INTEGER = 0x02;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const SEQUENCE = 0x30;

/**
 * When the issuer of a list of revoked certificates publishes the next one (RFC 5280 section 5.1.2.5). Undefined if the list does not say.
 * Throws for a text that is not such a list in PEM.
 */
export function nextUpdateOf(pem: string): number | undefined {
  const [list] = elementsOf(Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64'), 1);
  const [signed] = elementsOf(contentOf(list, SEQUENCE), 1);
  // Version (optional), algorithm, issuer, this update, next update (optional).
  const elements = elementsOf(contentOf(signed, SEQUENCE), 5);
  const next = elements[elements[0]?.tag === INTEGER ? 4 : 3];
  return next?.tag === UTC_TIME || next?.tag === GENERALIZED_TIME ? timeOf(next) : undefined;
}

interface Element {
  readonly tag: number;
  readonly content: Buffer;
}

/** The first elements of a sequence in DER. */
function elementsOf(bytes: Buffer, count: number): readonly Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length && found.length < count; ) {
    const first = bytes[at + 1] ?? 0;
    const sizeBytes = first < 0x80 ? 0 : first & 0x7f;
    if (sizeBytes > 4 || at + 2 + sizeBytes > bytes.length) throw new Error('not a list of revoked certificates');
    const size = sizeBytes === 0 ? first : bytes.readUIntBE(at + 2, sizeBytes);
    const start = at + 2 + sizeBytes;
    if (start + size > bytes.length) throw new Error('not a list of revoked certificates');
    found.push({ tag: bytes[at] ?? 0, content: bytes.subarray(start, start + size) });
    at = start + size;
  }
  return found;
}

function contentOf(element: Element | undefined, tag: number): Buffer {
  if (element?.tag !== tag) throw new Error('not a list of revoked certificates');
  return element.content;
}

/** RFC 5280 section 4.1.2.5: years of two digits are from 1950 to 2049. */
function timeOf({ tag, content }: Element): number {
  const text = content.toString('latin1');
  const century = Number(text.slice(0, 2)) < 50 ? '20' : '19';
  const full = tag === UTC_TIME ? `${century}${text}` : text;
  return Date.parse(full.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}
