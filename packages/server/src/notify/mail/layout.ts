import { Html, html } from './html.ts';
import { dark, light, radius, system } from './palette.ts';

/** The parts of a mail, from top to bottom. */
export interface MailParts {
  readonly title: string;
  /** Preview text that mail clients show next to the subject. */
  readonly preview: string;
  readonly app: string;
  readonly logoUrl: string | undefined;
  readonly lead: string;
  readonly button: { readonly href: string; readonly text: string } | undefined;
  /** Sentences, each with an optional link. */
  readonly items: readonly { readonly text: string; readonly href: string | undefined }[];
  readonly secret: { readonly label: string; readonly text: string; readonly typed: boolean } | undefined;
  readonly notes: readonly Html[];
}

const sans = new Html(`font-family:${system}`);
const mono = html`font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace`;

/** Some mail clients drop style sheets. The inline styles suffice on their own; this adds only what inline styles cannot express. */
const sheet = html`
  body { margin: 0; padding: 0; }
  @media (max-width: 520px) { .card { padding: 24px 20px !important; } .code { font-size: 24px !important; letter-spacing: 3px !important; } }
  @media (prefers-color-scheme: dark) {
    .page { background: ${dark.paper} !important; } .card { background: ${dark.surface} !important; border-color: ${dark.line} !important; }
    .ink { color: ${dark.ink} !important; } .faint { color: ${dark.quiet} !important; }
    .box { background: ${dark.sunken} !important; border-color: ${dark.line} !important; color: ${dark.ink} !important; }
    .button { background: ${dark.accent} !important; color: ${dark.onAccent} !important; }
  }`;

/**
 * The layout of every mail: one column of 480 pixels that narrows to the width of a phone. It uses tables, which every mail client
 * supports. It loads nothing from the network except a logo, if the request names one.
 */
export function layout({ title, preview, app, logoUrl, lead, items, button, secret, notes }: MailParts): Html {
  return html`<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${title}</title>
<style>${sheet}</style>
</head>
<body class="page" style="margin:0;padding:0;background:${light.paper};-webkit-text-size-adjust:100%">
<div style="display:none;max-height:0;overflow:hidden;opacity:0">${preview}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:${light.paper}">
<tr><td align="center" style="padding:32px 12px">
<table role="presentation" width="480" cellpadding="0" cellspacing="0" border="0" style="width:100%;max-width:480px">
<tr><td style="padding:0 4px 16px">${brand(app, logoUrl)}</td></tr>
<tr><td class="card" style="background:${light.surface};border:1px solid ${light.line};border-radius:${radius.card};padding:32px">
<h1 class="ink" style="margin:0 0 12px;${sans};font-size:21px;line-height:28px;font-weight:650;color:${light.ink}">${title}</h1>
<p class="ink" style="margin:0 0 24px;${sans};font-size:15px;line-height:23px;color:${light.ink}">${lead}</p>
${items.map(listed)}
${button && pressable(button)}
${secret && shownSecret(secret)}
${notes.map((note) => html`<p class="faint" style="margin:16px 0 0;${sans};font-size:13px;line-height:20px;color:${light.quiet}">${note}</p>`)}
</td></tr>
<tr><td class="faint" align="center" style="padding:16px 4px 0;${sans};font-size:12px;line-height:18px;color:${light.quiet}">${app}</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;
}

function brand(app: string, logoUrl: string | undefined): Html {
  if (logoUrl !== undefined) {
    return html`<img src="${logoUrl}" alt="${app}" height="32" style="display:block;height:32px;max-width:220px;border:0;${sans};font-size:17px;font-weight:650">`;
  }
  return html`<span class="ink" style="${sans};font-size:17px;line-height:24px;font-weight:650;color:${light.ink}">${app}</span>`;
}

function pressable({ href, text }: { readonly href: string; readonly text: string }): Html {
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 24px"><tr><td>
<a class="button" href="${href}" target="_blank" rel="noopener noreferrer" style="display:inline-block;background:${light.accent};color:${light.onAccent};text-decoration:none;border-radius:${radius.field};padding:12px 22px;${sans};font-size:15px;line-height:20px;font-weight:600">${text}</a>
</td></tr></table>`;
}

function listed({ text, href }: MailParts['items'][number]): Html {
  const shown =
    href === undefined
      ? html`${text}`
      : html`<a class="ink" href="${href}" target="_blank" rel="noopener noreferrer" style="color:${light.ink}">${text}</a>`;
  return html`<p class="box ink" style="margin:0 0 12px;background:${light.sunken};border:1px solid ${light.line};border-radius:${radius.field};padding:12px 16px;${sans};font-size:15px;line-height:22px;color:${light.ink};overflow-wrap:anywhere">${shown}</p>
`;
}

function shownSecret({ label, text, typed }: NonNullable<MailParts['secret']>): Html {
  const look = typed
    ? html`font-size:30px;line-height:40px;letter-spacing:5px;font-weight:600;text-align:center`
    : html`font-size:13px;line-height:20px;word-break:break-all;overflow-wrap:anywhere`;
  return html`<p class="faint" style="margin:0 0 8px;${sans};font-size:13px;line-height:20px;color:${light.quiet}">${label}</p>
<div class="box ${typed ? 'code' : 'long'}" style="background:${light.sunken};border:1px solid ${light.line};border-radius:${radius.field};padding:14px 16px;color:${light.ink};${mono};${look}">${text}</div>`;
}
