import { activitiesLink, activityLink, approvalLink, approvalsLink, invitationLink, webhooksLink } from '@countersign/contract';
import { html } from './html.ts';
import { layout } from './layout.ts';
import { logoAddress, magicLink } from './magic-link.ts';
import type { Message } from './message.ts';
import { type OwnTemplate, renderOwnTemplate } from './own-template.ts';
import type { RenderedMail } from './rendered-mail.ts';
import { type Occasion, showTime, words } from './words.ts';

/** The operator's choices for the look of mail. */
export interface MailStyle {
  /** The application name in mail, if the request does not set one. */
  readonly appName: string;
  /** The page that accepts invitations. */
  readonly invitationUrl?: string | undefined;
  /** The console URL, with a trailing slash. Undefined if the console is turned off or users cannot reach it by a link. */
  readonly consoleUrl?: string | undefined;
  /** Finds the operator's template of that name. */
  findTemplate(templateId: string): OwnTemplate | undefined;
}

/** Renders a message as a mail, with the operator's template if the request names an existing one. */
export function renderMail(message: Message, style: MailStyle): RenderedMail {
  const { look, secret, expiresAtMs, purpose } = message;
  const app = present(look.appName) ?? style.appName;
  const link = linkOf(message, style);
  const items = itemsOf(message, style);
  const occasion: Occasion = { app, message, hasLink: link !== undefined };
  const subject = words[purpose].subject(occasion);
  const until = showTime(expiresAtMs);
  const own = present(look.templateId) === undefined ? undefined : style.findTemplate(look.templateId as string);
  if (own !== undefined) {
    const { organizationName } = message;
    const values = { appName: app, secret, link: link ?? '', until, organizationName, subject };
    return renderOwnTemplate(own, values, look.templateVariables);
  }
  return { subject, text: plainText(occasion, link, until, items), html: markup(occasion, subject, link, until, items) };
}

/** The target of the button in a mail. */
function linkOf({ purpose, secret, look, approvals }: Message, style: MailStyle): string | undefined {
  if (purpose === 'INVITATION') return linkOfInvitation(style, secret);
  if (approvals === undefined) return magicLink(look.magicLinkTemplate, secret);
  if (style.consoleUrl === undefined) return undefined;
  const { organizationId, items, more } = approvals;
  const [only, ...others] = items;
  const { one, all } = pagesOf(purpose);
  return only !== undefined && others.length + more === 0
    ? one(style.consoleUrl, organizationId, only.activityId)
    : all(style.consoleUrl, organizationId);
}

/** The pages of the activities in a notice. */
function pagesOf(purpose: Message['purpose']) {
  if (purpose === 'ENDPOINTS') return { one: webhooksLink, all: webhooksLink };
  return purpose === 'FREEZES' ? { one: activityLink, all: activitiesLink } : { one: approvalLink, all: approvalsLink };
}

/** The operator's invitation page, or else that of the console. */
function linkOfInvitation({ invitationUrl, consoleUrl }: MailStyle, key: string): string | undefined {
  if (invitationUrl !== undefined) return magicLink(invitationUrl, key);
  return consoleUrl === undefined ? undefined : invitationLink(consoleUrl, key);
}

const present = (text: string | undefined) => (text === undefined || text === '' ? undefined : text);

function plainText(occasion: Occasion, link: string | undefined, until: string, items: readonly Item[]): string {
  const { message, app } = occasion;
  const { lead, action, secretLabel, unexpected } = words[message.purpose];
  const carriesSecret = message.secret !== '';
  return [
    lead(occasion),
    ...items.map(({ text, href }) => (href === undefined ? text : `${text}\n${href}`)),
    ...(link === undefined ? [] : [`${action}:\n${link}`]),
    ...(carriesSecret ? [`${secretLabel(occasion)}\n${message.secret}`, `Valid until ${until}.`] : []),
    unexpected,
    `-- \n${app}`,
  ].join('\n\n');
}

function markup(occasion: Occasion, subject: string, link: string | undefined, until: string, items: readonly Item[]): string {
  const { message, app } = occasion;
  const { lead, action, secretLabel, typed, unexpected } = words[message.purpose];
  const carriesSecret = message.secret !== '';
  return layout({
    title: subject,
    preview: lead(occasion),
    app,
    logoUrl: logoAddress(message.look.logoUrl),
    lead: lead(occasion),
    items,
    button: link === undefined ? undefined : { href: link, text: action },
    secret: carriesSecret ? { label: secretLabel(occasion), text: message.secret, typed } : undefined,
    notes: [...(carriesSecret ? [html`Valid until <strong>${until}</strong>.`] : []), html`${unexpected}`],
  }).toString();
}

/** A sentence in a mail, with an optional link. */
interface Item {
  readonly text: string;
  readonly href: string | undefined;
}

/** One item per activity of a notice. Activities without a sentence are omitted. */
function itemsOf({ purpose, approvals }: Message, { consoleUrl }: MailStyle): readonly Item[] {
  if (approvals === undefined) return [];
  const { items, more, organizationId } = approvals;
  const shown = items.flatMap(({ activityId, sentence }): Item[] => {
    const href = consoleUrl && pagesOf(purpose).one(consoleUrl, organizationId, activityId);
    return sentence === undefined ? [] : [{ text: sentence, href }];
  });
  return more === 0 || shown.length === 0 ? shown : [...shown, { text: `and ${more} more`, href: undefined }];
}
