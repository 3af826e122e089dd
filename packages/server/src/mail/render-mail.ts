import { invitationLink } from '@countersign/contract';
import { html } from './html.ts';
import { layout } from './layout.ts';
import { logoAddress, magicLink } from './magic-link.ts';
import type { Message } from './message.ts';
import { type OwnTemplate, renderOwnTemplate } from './own-template.ts';
import type { RenderedMail } from './rendered-mail.ts';
import { type Occasion, showTime, words } from './words.ts';

/** The operator's choices for the look of mail. */
export interface MailStyle {
  /** The application name in mail, if the request does not give one. */
  readonly appName: string;
  /** The page that accepts invitations. */
  readonly invitationUrl?: string | undefined;
  /** The console, with a slash at the end. Undefined where it is turned off, or nobody could reach it by a link. */
  readonly consoleUrl?: string | undefined;
  /** Finds the operator's template of that name. */
  findTemplate(templateId: string): OwnTemplate | undefined;
}

/** Renders a message as a mail, with the operator's template if the request names an existing one. */
export function renderMail(message: Message, style: MailStyle): RenderedMail {
  const { look, secret, expiresAtMs, purpose } = message;
  const app = present(look.appName) ?? style.appName;
  const link = purpose === 'INVITATION' ? linkOfInvitation(style, secret) : magicLink(look.magicLinkTemplate, secret);
  const occasion: Occasion = { app, message, hasLink: link !== undefined };
  const subject = words[purpose].subject(occasion);
  const until = showTime(expiresAtMs);
  const own = present(look.templateId) === undefined ? undefined : style.findTemplate(look.templateId as string);
  if (own !== undefined) {
    const { organizationName } = message;
    const values = { appName: app, secret, link: link ?? '', until, organizationName, subject };
    return renderOwnTemplate(own, values, look.templateVariables);
  }
  return { subject, text: plainText(occasion, link, until), html: markup(occasion, subject, link, until) };
}

/** The operator's own page, else that of the console. */
function linkOfInvitation({ invitationUrl, consoleUrl }: MailStyle, key: string): string | undefined {
  if (invitationUrl !== undefined) return magicLink(invitationUrl, key);
  return consoleUrl === undefined ? undefined : invitationLink(consoleUrl, key);
}

const present = (text: string | undefined) => (text === undefined || text === '' ? undefined : text);

function plainText(occasion: Occasion, link: string | undefined, until: string): string {
  const { message, app } = occasion;
  const { lead, action, secretLabel, unexpected } = words[message.purpose];
  return [
    lead(occasion),
    ...(link === undefined ? [] : [`${action}:\n${link}`]),
    `${secretLabel(occasion)}\n${message.secret}`,
    `Good until ${until}.`,
    unexpected,
    `-- \n${app}`,
  ].join('\n\n');
}

function markup(occasion: Occasion, subject: string, link: string | undefined, until: string): string {
  const { message, app } = occasion;
  const { lead, action, secretLabel, typed, unexpected } = words[message.purpose];
  return layout({
    title: subject,
    preview: lead(occasion),
    app,
    logoUrl: logoAddress(message.look.logoUrl),
    lead: lead(occasion),
    button: link === undefined ? undefined : { href: link, text: action },
    secret: { label: secretLabel(occasion), text: message.secret, typed },
    notes: [html`Good until <strong>${until}</strong>.`, html`${unexpected}`],
  }).toString();
}
