import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Html, html } from '../../notify/mail/html.ts';
import type { AnswerPage } from './page.ts';
import { pageHeaders } from './page-headers.ts';

export interface FrontPage {
  readonly version: string;
  /** The path of the API, without a slash at the end. */
  readonly apiPath: string;
  hasConsole(request: IncomingMessage): Promise<boolean>;
  hasDocs(): Promise<boolean>;
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 40rem; padding: 4rem 1.5rem; }
h1 { font-size: 1.75rem; margin: 0 0 .25rem; }
ul { list-style: none; margin: 2rem 0; padding: 0; }
li { border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent); padding: .75rem 0; }
a { font-weight: 600; color: light-dark(#0b57d0, #a8c7fa); }
span { display: block; opacity: .8; }
small { opacity: .8; }
`;

const headers = {
  ...pageHeaders({ style: `'sha256-${createHash('sha256').update(style).digest('base64')}'` }),
  Vary: 'Accept',
};

/** The page at the root: where everything is. People get it as a page, programs as JSON. It says nothing about the organizations. */
export function frontPage(page: FrontPage): AnswerPage {
  return async (request) => {
    const links = await linksOf(page, request);
    if (!wantsHtml(request.headers.accept)) {
      const places = Object.fromEntries(links.map(({ name, href }) => [name, href]));
      const body = JSON.stringify({ name: 'Countersign', version: page.version, api: `${page.apiPath}/public/v1`, ...places });
      return { status: 200, contentType: 'application/json', body, headers };
    }
    const items = links.map(({ title, href, text }) => html`<li><a href="${href}">${title}</a><span>${text}</span></li>`);
    const body = html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Countersign</title>
<style>${new Html(style)}</style>
<main>
<h1>Countersign</h1>
<p>This server keeps keys, and signs what policies and people allow.</p>
<ul>${items}</ul>
<small>Version ${page.version}</small>
</main>
</html>
`;
    return { status: 200, contentType: 'text/html; charset=utf-8', body: body.toString(), headers };
  };
}

/** All addresses are relative, so that they also work behind a proxy that adds a path. */
async function linksOf(page: FrontPage, request: IncomingMessage) {
  const [hasConsole, hasDocs] = await Promise.all([page.hasConsole(request), page.hasDocs()]);
  return [
    ...(hasConsole
      ? [{ name: 'console', title: 'Console', href: 'console/', text: 'Sign in, approve, manage wallets, policies and users.' }]
      : []),
    ...(hasDocs ? [{ name: 'docs', title: 'Documentation', href: 'docs/', text: 'Guides and the reference.' }] : []),
    { name: 'openapi', title: 'API reference', href: 'openapi.json', text: 'Every operation, as an OpenAPI document.' },
    { name: 'verify', title: 'Verify an audit file', href: 'verify/', text: 'In this browser. The file is not uploaded.' },
    { name: 'ready', title: 'Health', href: 'readyz', text: 'Readiness of this server.' },
  ];
}

/** Browsers name `text/html` in what they accept. Programs that accept everything get JSON. */
function wantsHtml(accept: string | undefined): boolean {
  return accept !== undefined && /(^|[\s,])text\/html\b/i.test(accept);
}
