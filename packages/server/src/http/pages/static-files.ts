import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { type ContentCoding, compressOnce, isCompressible } from './content-coding.ts';

/** One file of a built folder, as it is sent. */
export interface StaticFile {
  readonly contentType: string;
  readonly body: Buffer;
  /** The same content, compressed. Absent for a file that is not worth it. */
  readonly compressed?: (coding: ContentCoding) => Promise<Buffer | undefined>;
  /** Of the content: the same file has the same tag on every node. Without quotes. */
  readonly tag: string;
  /** Whether the name holds a hash of the content, so that another content has another name. */
  readonly isImmutable: boolean;
}

/** The files of a built folder, by their path below it, each part percent-encoded. */
export type StaticFiles = ReadonlyMap<string, StaticFile>;

/** A folder holds more than a site would. */
export class StaticFolderError extends Error {
  override readonly name = 'StaticFolderError';
}

/** A wrong folder must not fill the memory. */
const MAX_FILES = 4_000;
const MAX_BYTES = 128 * 1_048_576;

/** How bundlers name files by their content: `assets/index-Br8Yk2Qz.js`. */
const HASHED = /(^|\/)assets\/.*[-.][\w-]{8,}\.\w+$/;

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.xml': 'application/xml',
};

/**
 * Reads a built folder. Undefined if it does not exist or has no `index.html`. Throws StaticFolderError for one that is too large.
 * SECURITY: this is the only time that the file system is read, so no request can name a file outside. Links are not followed, and hidden
 * files are left out.
 */
export async function readStaticFiles(folder: string): Promise<StaticFiles | undefined> {
  const contents = new Map<string, Buffer>();
  let bytes = 0;

  async function readInto(below: string, path: string): Promise<void> {
    for (const entry of await readdir(below, { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue;
      const name = path + encodeURIComponent(entry.name);
      if (entry.isDirectory()) await readInto(join(below, entry.name), `${name}/`);
      if (!entry.isFile()) continue;
      const content = await readFile(join(below, entry.name));
      bytes += content.length;
      contents.set(name, content);
      if (contents.size > MAX_FILES || bytes > MAX_BYTES)
        throw new StaticFolderError(`${folder} has more than ${MAX_FILES} files or ${MAX_BYTES} bytes.`);
    }
  }

  try {
    await readInto(folder, '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  if (!contents.has('index.html')) return undefined;
  const files = new Map<string, StaticFile>();
  for (const [name, body] of contents) {
    // A compressed file is an encoding of the file next to it, not a separate file.
    if (name.endsWith('.br') && contents.has(name.slice(0, -3))) continue;
    files.set(name, staticFile(name, body, contents.get(`${name}.br`)));
  }
  return files;
}

/** A file by its name below the folder. */
export function staticFile(name: string, body: Buffer, brotli?: Buffer): StaticFile {
  const contentType = contentTypes[extname(name).toLowerCase()] ?? 'application/octet-stream';
  return {
    contentType,
    body,
    ...(isCompressible(contentType, body) && { compressed: compressOnce(body, brotli === undefined ? {} : { br: brotli }) }),
    tag: createHash('sha256').update(body).digest('base64url').slice(0, 22),
    isImmutable: HASHED.test(name),
  };
}
