/** The longest line that is read. The body of an activity is far shorter. */
const MAX_LINE_BYTES = 256 * 2 ** 20;

const NEWLINE = 0x0a;

/** The lines of a stream of bytes, without their ends. Throws a TypeError for one that is too long or has no end. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let at = rest.indexOf(NEWLINE); at !== -1; at = rest.indexOf(NEWLINE)) {
      yield parts.length === 0 ? rest.subarray(0, at) : Buffer.concat([...parts, rest.subarray(0, at)]);
      parts = [];
      size = 0;
      rest = rest.subarray(at + 1);
    }
    size += rest.length;
    if (size > MAX_LINE_BYTES) throw new TypeError('a line is too long');
    if (rest.length > 0) parts.push(rest);
  }
  if (size > 0) throw new TypeError('its last line is truncated');
}
