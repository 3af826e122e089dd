import { AuditError } from './audit-error.ts';
import { MAX_LINE_LENGTH } from './format/lines.ts';

/**
 * The lines of a file that comes in parts, without their line feeds. Throws AuditError for bytes that are not UTF-8, for a line that is far
 * too long, and for a last line without a line feed.
 */
export async function* splitLines(parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let rest = '';
  for await (const part of parts) {
    const text = decode(() => decoder.decode(part, { stream: true }));
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (rest.length > MAX_LINE_LENGTH) throw new AuditError('a line is too long');
  }
  rest += decode(() => decoder.decode());
  if (rest !== '') throw new AuditError('the last line is truncated');
}

function decode(read: () => string): string {
  try {
    return read();
  } catch {
    throw new AuditError('the file is not text in UTF-8');
  }
}
