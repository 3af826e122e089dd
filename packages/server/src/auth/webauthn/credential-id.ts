import { fromStrictBase64Url, withoutPadding } from '../strict-text.ts';
import { toCborBytes } from './cbor.ts';

/** Lengths of the head of a CBOR byte string (RFC 8949 section 3) with at most 65,535 bytes. */
const HEAD_LENGTHS = [1, 2, 3];

/**
 * The credential ids that a text can stand for, in canonical base64url: the bytes that it encodes, then the bytes in them if they are one
 * CBOR byte string in its shortest form, which the specification asks for. Undefined if the text is not base64url.
 * INVARIANT: D286: every place that reads a credential id uses this order. The bytes of a real id can look like a byte string, so an id
 * that is registered as it is written always comes first, and no one's CBOR spelling is another person's id while that is registered.
 */
export function readCredentialId(text: string): readonly [string, string?] | undefined {
  const id = withoutPadding(text);
  const bytes = fromStrictBase64Url(id);
  if (bytes === undefined) return undefined;
  for (const length of HEAD_LENGTHS) {
    const content = bytes.subarray(length);
    if (content.length > 0 && Buffer.compare(toCborBytes(content), bytes) === 0)
      return [id, Buffer.from(content).toString('base64url')];
  }
  return [id];
}
