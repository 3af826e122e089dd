import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AnswerPage, Page } from './page.ts';

const PATH = '/verify';

/** The files of the page, by their path below it. */
const files: Readonly<Record<string, { readonly name: string; readonly contentType: string }>> = {
  '': { name: 'index.html', contentType: 'text/html; charset=utf-8' },
  '/': { name: 'index.html', contentType: 'text/html; charset=utf-8' },
  '/page.css': { name: 'page.css', contentType: 'text/css; charset=utf-8' },
  '/page.js': { name: 'page.js', contentType: 'text/javascript; charset=utf-8' },
};

/** SECURITY: the page may load its own script and style, and may not send anything: an audit file stays in the browser. */
const headers = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
};

const notBuilt: Page = {
  status: 404,
  contentType: 'text/plain; charset=utf-8',
  body: "This installation has the page, but it was not built. Run 'npm run build', or verify with 'countersign audit verify'.\n",
};

/** The page that verifies an audit file in the browser, by path. It needs no stamp: it contains no data. */
export function verifyPages(folder: string): ReadonlyMap<string, AnswerPage> {
  return new Map(
    Object.entries(files).map(([path, { name, contentType }]) => [
      PATH + path,
      async () => {
        try {
          return { status: 200, contentType, body: await readFile(join(folder, name)), headers };
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === 'ENOENT') return notBuilt;
          throw error;
        }
      },
    ]),
  );
}
