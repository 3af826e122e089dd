import { type Html, html } from './html.ts';

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

const sans = html`font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif`;
const mono = html`font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace`;

/** Some mail clients drop style sheets. The inline styles suffice on their own; this adds only what inline styles cannot express. */
const sheet = html`
  body { margin: 0; padding: 0; }
  @media (max-width: 520px) { .card { padding: 24px 20px !important; } .code { font-size: 24px !important; letter-spacing: 3px !important; } }
  @media (prefers-color-scheme: dark) {
    .page { background: #14161a !important; } .card { background: #1f2228 !important; border-color: #343944 !important; }
    .ink { color: #eceef2 !important; } .faint { color: #a3a9b5 !important; }
    .box { background: #14161a !important; border-color: #343944 !important; color: #eceef2 !important; }
    .button { background: #6f8cff !important; color: #0d1020 !important; }
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
<body class="page" style="margin:0;padding:0;background:#f3f4f7;-webkit-text-size-adjust:100%">
<div style="display:none;max-height:0;overflow:hidden;opacity:0">${preview}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f3f4f7">
<tr><td align="center" style="padding:32px 12px">
<table role="presentation" width="480" cellpadding="0" cellspacing="0" border="0" style="width:100%;max-width:480px">
<tr><td style="padding:0 4px 16px">${brand(app, logoUrl)}</td></tr>
<tr><td class="card" style="background:#ffffff;border:1px solid #dfe2e8;border-radius:12px;padding:32px">
<h1 class="ink" style="margin:0 0 12px;${sans};font-size:21px;line-height:28px;font-weight:650;color:#171a21">${title}</h1>
<p class="ink" style="margin:0 0 24px;${sans};font-size:15px;line-height:23px;color:#343a46">${lead}</p>
${items.map(listed)}
${button && pressable(button)}
${secret && shownSecret(secret)}
${notes.map((note) => html`<p class="faint" style="margin:16px 0 0;${sans};font-size:13px;line-height:20px;color:#667085">${note}</p>`)}
</td></tr>
<tr><td class="faint" align="center" style="padding:16px 4px 0;${sans};font-size:12px;line-height:18px;color:#667085">${app}</td></tr>
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
  return html`<span class="ink" style="${sans};font-size:17px;line-height:24px;font-weight:650;color:#171a21">${app}</span>`;
}

function pressable({ href, text }: { readonly href: string; readonly text: string }): Html {
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 24px"><tr><td>
<a class="button" href="${href}" target="_blank" rel="noopener noreferrer" style="display:inline-block;background:#2f4fd8;color:#ffffff;text-decoration:none;border-radius:8px;padding:12px 22px;${sans};font-size:15px;line-height:20px;font-weight:600">${text}</a>
</td></tr></table>`;
}

function listed({ text, href }: MailParts['items'][number]): Html {
  const shown =
    href === undefined
      ? html`${text}`
      : html`<a class="ink" href="${href}" target="_blank" rel="noopener noreferrer" style="color:#171a21">${text}</a>`;
  return html`<p class="box ink" style="margin:0 0 12px;background:#f6f7f9;border:1px solid #dfe2e8;border-radius:8px;padding:12px 16px;${sans};font-size:15px;line-height:22px;color:#171a21;overflow-wrap:anywhere">${shown}</p>
`;
}

function shownSecret({ label, text, typed }: NonNullable<MailParts['secret']>): Html {
  const look = typed
    ? html`font-size:30px;line-height:40px;letter-spacing:5px;font-weight:600;text-align:center`
    : html`font-size:13px;line-height:20px;word-break:break-all;overflow-wrap:anywhere`;
  return html`<p class="faint" style="margin:0 0 8px;${sans};font-size:13px;line-height:20px;color:#667085">${label}</p>
<div class="box ${typed ? 'code' : 'long'}" style="background:#f6f7f9;border:1px solid #dfe2e8;border-radius:8px;padding:14px 16px;color:#171a21;${mono};${look}">${text}</div>`;
}
