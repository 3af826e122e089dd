import type { AnswerPage, Page } from './page.ts';
import { readStaticFiles } from './static-files.ts';
import { fileAnswer } from './static-site.ts';

const PATH = '/verify';

/** The files of the page, by their path below it. */
const names: Readonly<Record<string, string>> = {
  '': 'index.html',
  '/': 'index.html',
  '/page.css': 'page.css',
  '/page.js': 'page.js',
};

/** SECURITY: the page may load its own script and style, and may not send anything: an audit file stays in the browser.
 * The font is in its style sheet, since a request for a file could carry data. */
const headers = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
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
  let reading: ReturnType<typeof readStaticFiles> | undefined;
  return new Map(
    Object.entries(names).map(([path, name]) => [
      PATH + path,
      async (request) => {
        // Read on the first request: few people open it.
        reading ??= readStaticFiles(folder);
        const file = (await reading)?.get(name);
        return file === undefined ? notBuilt : fileAnswer(file, request, headers);
      },
    ]),
  );
}
