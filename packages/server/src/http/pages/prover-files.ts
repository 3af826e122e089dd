import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { acceptedCoding } from './content-coding.ts';
import type { Page } from './page.ts';
import { isKnown } from './static-site.ts';

/** Where the files of the prover are, below the console. Their scripts may compile WebAssembly. */
export const PROVER = 'prover/';

/** The files of the npm package `z3-solver` that browsers load, by their names below the console. */
const contentTypes: Readonly<Record<string, string>> = {
  [`${PROVER}z3-built.js`]: 'text/javascript; charset=utf-8',
  [`${PROVER}z3-built.wasm`]: 'application/wasm',
};

/**
 * The headers of the scripts of the prover, in addition to those of all pages. A worker has the policy of its own response.
 * SECURITY: D1060: only these scripts may compile WebAssembly. They run in workers, load from this origin only, and evaluate no text.
 */
export const proverHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** The folder of the installed package. Undefined without it: it is an optional dependency of the command. */
function installedFolder(): string | undefined {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('z3-solver/package.json')), 'build');
  } catch {
    return undefined;
  }
}

interface Compressed {
  readonly body: Buffer;
  readonly tag: string;
}

/** The best quality takes a minute for 35 MB. This one takes two seconds, for 5.8 MB. */
const QUALITY = 5;

const ABSENT = 'The solver is not installed. Run "npm install z3-solver@5.2.0" next to countersign, and restart the service.';
const NO_BROTLI = 'This file is sent to clients that accept Brotli (Accept-Encoding: br).';

/**
 * Serves the solver to the browsers of people who prove something. Undefined for other files.
 * SECURITY: D1061: each file is read and compressed once in this process, on the first request, in another thread. Only the compressed form stays
 * in memory, and no other is sent. The rate of requests of an address counts each request as one, although it may be answered with 5.8 MB.
 * D1176: a failure is forgotten, so that it does not outlast its cause.
 */
export function createProverFiles(folder = installedFolder(), read: (path: string) => Promise<Buffer> = readFile) {
  const files = new Map<string, Promise<Compressed | undefined>>();
  const fileOf = async (name: string) => {
    if (folder === undefined) return undefined;
    const file = files.get(name) ?? compressed(join(folder, name.slice(PROVER.length)), read);
    files.set(name, file);
    const forget = () => files.get(name) === file && files.delete(name);
    file.then((found) => found === undefined && forget(), forget);
    return file;
  };
  return (name: string, headers: Readonly<Record<string, string>>) => {
    const contentType = Object.hasOwn(contentTypes, name) ? contentTypes[name] : undefined;
    if (contentType === undefined) return undefined;
    return async ({ headers: asked }: Pick<IncomingMessage, 'headers'>): Promise<Page> => {
      const file = await fileOf(name);
      if (file === undefined) return refusal(404, ABSENT, headers);
      if (acceptedCoding(asked['accept-encoding']) !== 'br') return refusal(406, NO_BROTLI, headers);
      const etag = `"${file.tag}-br"`;
      // Another version of the package has the same names, so browsers ask each time.
      const shared = { ...headers, ...proverHeaders, 'Cache-Control': 'no-cache', ETag: etag, Vary: 'Accept-Encoding, Origin' };
      if (isKnown(asked['if-none-match'], etag)) return { status: 304, contentType, body: '', headers: shared };
      return { status: 200, contentType, body: file.body, headers: { ...shared, 'Content-Encoding': 'br' } };
    };
  };
}

/** Codes of errors that say that the package has no such file, or that this process may not read it: the same as without the package. */
const missing: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'];

async function compressed(path: string, read: (path: string) => Promise<Buffer>): Promise<Compressed | undefined> {
  let plain: Buffer;
  try {
    plain = await read(path);
  } catch (error) {
    if (missing.includes((error as NodeJS.ErrnoException).code)) return undefined;
    throw error;
  }
  const params = { [constants.BROTLI_PARAM_QUALITY]: QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
  const body = await promisify(brotliCompress)(plain, { params });
  return { body, tag: createHash('sha256').update(body).digest('base64url').slice(0, 22) };
}

function refusal(status: number, sentence: string, headers: Readonly<Record<string, string>>): Page {
  return { status, contentType: 'text/plain; charset=utf-8', body: `${sentence}\n`, headers };
}
