import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** The codings of static files, the preferred one first. */
export const contentCodings = ['br', 'gzip'] as const;
export type ContentCoding = (typeof contentCodings)[number];

const compressors: Readonly<Record<ContentCoding, (body: Buffer) => Promise<Buffer>>> = {
  // The highest quality takes seconds for a megabyte, and saves a few percent more.
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (body) => promisify(gzip)(body, { level: constants.Z_BEST_COMPRESSION }),
};

/** Files below this size are sent as they are. In bytes. */
const MIN_BYTES = 1_024;

/** Whether a file of this type and size is worth compressing. Images and fonts are compressed already. */
export function isCompressible(contentType: string, { length }: Uint8Array): boolean {
  return length >= MIN_BYTES && /^(text\/|application\/(json|manifest\+json|wasm|xml)|image\/svg)/.test(contentType);
}

/**
 * Compresses a file on the first request for a coding, in another thread, and keeps the result. `built` was compressed by the build.
 * Resolves with undefined if the result is not smaller.
 * SECURITY: requests do not repeat the work, so they cost the same with and without compression.
 */
export function compressOnce(
  body: Buffer,
  built: Readonly<Partial<Record<ContentCoding, Buffer>>>,
): (coding: ContentCoding) => Promise<Buffer | undefined> {
  const results = new Map<ContentCoding, Promise<Buffer | undefined>>();
  return (coding) => {
    const result =
      results.get(coding) ??
      Promise.resolve(built[coding] ?? compressors[coding](body)).then((compressed) =>
        compressed.length < body.length ? compressed : undefined,
      );
    results.set(coding, result);
    return result;
  };
}

/** RFC 9110 section 12.5.3: the preferred coding that a client accepts. One with the weight 0 is refused, one that is not named is not wanted. */
export function acceptedCoding(header: string | string[] | undefined): ContentCoding | undefined {
  const accepted = String(header ?? '')
    .split(',')
    .map((item) => item.split(';').map((part) => part.trim().toLowerCase()))
    .filter(([, ...parameters]) => !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)))
    .map(([coding]) => coding);
  return contentCodings.find((coding) => accepted.includes(coding));
}
