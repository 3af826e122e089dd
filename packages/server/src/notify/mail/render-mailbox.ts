import { Html, html } from './html.ts';
import type { MailboxEntry } from './mailbox.ts';
import { dark, light, radius, system } from './palette.ts';
import { showTime } from './words.ts';

/** The colours of a mode. The selected message has the background of fields. */
function variables({ paper, surface, line, ink, quiet, accent, sunken }: Record<keyof typeof light, string>): Html {
  return html`--page: ${paper}; --card: ${surface}; --line: ${line}; --ink: ${ink}; --faint: ${quiet}; --mark: ${accent}; --wash: ${sunken};`;
}

const sheet = html`
  :root { color-scheme: light dark; ${variables(light)} }
  @media (prefers-color-scheme: dark) { :root { ${variables(dark)} } }
  * { box-sizing: border-box; }
  body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 ${new Html(system)}; }
  header { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: baseline; padding: 16px 24px; border-bottom: 1px solid var(--line); background: var(--card); }
  header h1 { font-size: 18px; margin: 0; }
  header p { margin: 0; color: var(--faint); font-size: 13px; }
  main { display: grid; grid-template-columns: minmax(240px, 340px) minmax(0, 1fr); min-height: calc(100vh - 62px); }
  nav { border-right: 1px solid var(--line); background: var(--card); }
  nav a { display: block; padding: 12px 20px; border-bottom: 1px solid var(--line); color: inherit; text-decoration: none; }
  nav a:hover { background: var(--page); }
  nav a:focus-visible { outline: 2px solid var(--mark); outline-offset: -2px; }
  nav a[aria-current] { background: var(--wash); box-shadow: inset 3px 0 0 var(--mark); }
  nav b { display: block; font-weight: 600; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  nav span { display: block; color: var(--faint); font-size: 13px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  article { padding: 24px; max-width: 860px; }
  article h2 { margin: 0 0 12px; font-size: 20px; line-height: 1.3; overflow-wrap: anywhere; }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 16px; margin: 0 0 20px; font-size: 14px; }
  dt { color: var(--faint); } dd { margin: 0; overflow-wrap: anywhere; }
  code, pre { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
  .secret { display: block; user-select: all; word-break: break-all; background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 10px 12px; }
  iframe { width: 100%; height: 560px; border: 1px solid var(--line); border-radius: ${radius.card}; background: ${light.paper}; }
  h3 { font-size: 14px; margin: 24px 0 8px; color: var(--faint); font-weight: 600; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 14px; margin: 0; }
  .empty { padding: 64px 24px; text-align: center; color: var(--faint); grid-column: 1 / -1; }
  @media (max-width: 760px) { main { grid-template-columns: 1fr; } nav { border-right: 0; max-height: 40vh; overflow: auto; } article { padding: 16px; } }
`;

/** The page of the development mailbox: a list, and the selected message as its receiver sees it. No scripts. */
export function renderMailbox(
  entries: readonly MailboxEntry[],
  selected: MailboxEntry | undefined,
  href: (id: string) => string,
): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Development mailbox</title>
<style>${sheet}</style>
</head>
<body>
<header><h1>Development mailbox</h1><p>No mail server is configured, so messages stay here. Reload the page to see new ones; the newest 100 are kept.</p></header>
<main>
${
  selected === undefined
    ? html`<p class="empty">Nothing yet. Ask for a mail, for example with email_auth, and reload.</p>`
    : html`<nav aria-label="Messages">${entries.map((entry) => listed(entry, entry.id === selected.id, href(entry.id)))}</nav>
${shown(selected)}`
}
</main>
</body>
</html>
`;
}

const titleOf = ({ subject, text }: MailboxEntry) => (subject === '' ? text : subject);

function listed(entry: MailboxEntry, current: boolean, href: string): Html {
  const mark = current ? html` aria-current="true"` : undefined;
  return html`<a href="${href}"${mark}><b>${entry.to}</b><span>${titleOf(entry)}</span><span>${showTime(entry.deliveredAtMs)}</span></a>
`;
}

function shown(entry: MailboxEntry): Html {
  const { channel, to, organizationId, deliveredAtMs, expiresAtMs, secret, text } = entry;
  return html`<article>
<h2>${titleOf(entry)}</h2>
<dl>
<dt>To</dt><dd>${to}</dd>
<dt>By</dt><dd>${channel === 'SMS' ? 'text message' : 'email'}</dd>
<dt>Sent</dt><dd>${showTime(deliveredAtMs)}</dd>
<dt>Valid until</dt><dd>${showTime(expiresAtMs)}</dd>
<dt>Organization</dt><dd><code>${organizationId}</code></dd>
<dt>Secret</dt><dd><code class="secret">${secret}</code></dd>
</dl>
${entry.html === undefined ? undefined : html`<iframe title="The mail" sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="${entry.html}"></iframe>`}
<h3>${channel === 'SMS' ? 'Text' : 'Text part'}</h3>
<pre>${text}</pre>
</article>`;
}
