import { type EmailCustomization, ServiceError } from '@countersign/contract';
import type { Limits } from '../../config/limits.ts';
import { isLinkTemplate, logoAddress } from '../../notify/mail/magic-link.ts';
import { maySendFrom } from '../../notify/mail/mail-address.ts';
import type { MessageSender } from '../../notify/mail/message.ts';
import { findOwnTemplate, readVariables } from '../../notify/mail/own-template.ts';
import type { PlanContext } from '../../pipeline/plan/executor.ts';
import { invalidField } from '../../wire/refuse.ts';

/** Mail options of a request. */
export interface MailRequest {
  readonly emailCustomization?: EmailCustomization | undefined;
  readonly sendFromEmailAddress?: string | undefined;
  readonly sendFromEmailSenderName?: string | undefined;
  readonly replyToEmailAddress?: string | undefined;
}

/** Look and sender of a mail. */
export interface PlannedMail {
  readonly look: EmailCustomization;
  readonly sender: MessageSender;
}

/** Whether a message is sent for a user of a sub-organization, not for a caller that the operator is responsible for. */
export function speaksForEndUser({ organization, byParent }: Pick<PlanContext, 'organization' | 'byParent'>): boolean {
  return organization.profile.parentId !== null && !byParent;
}

/**
 * Reads the look and the sender of a mail.
 * INVARIANT: every option is used in the mail, or the request is rejected with an error that names the option. The activity's intent claims
 * nothing that the mail does not have.
 * SECURITY: users of a sub-organization control only a short name in a mail, because it comes from the operator's domain and goes to an
 * address that they choose.
 */
export function planMail(context: PlanContext, request: MailRequest): PlannedMail {
  if (speaksForEndUser(context)) return planEndUserMail(request);
  const { limits } = context;
  const { emailCustomization: look = {}, sendFromEmailAddress: address, sendFromEmailSenderName: name } = request;
  const { replyToEmailAddress: replyTo } = request;
  if (address !== undefined && !maySendFrom(limits, address)) {
    throw invalidField(
      'sendFromEmailAddress',
      'is not an address that this server may send from. The operator can allow more with the setting mailSenders',
    );
  }
  requireUsable(look, limits);
  const sender = {
    ...(address !== undefined && { address }),
    ...(name !== undefined && { name }),
    ...(replyTo !== undefined && { replyTo }),
  };
  return { look, sender };
}

/** Plans a mail for an end user, with the operator's look and the name of the user's application. */
function planEndUserMail({ emailCustomization = {}, ...sender }: MailRequest): PlannedMail {
  const { appName = '', ...look } = emailCustomization;
  const { sendFromEmailAddress, sendFromEmailSenderName, replyToEmailAddress } = sender;
  requireUnset({ sendFromEmailAddress, sendFromEmailSenderName, replyToEmailAddress });
  requireUnset(Object.fromEntries(Object.entries(look).map(([field, value]) => [`emailCustomization.${field}`, value])));
  if (appName === '') return { look: {}, sender: {} };
  if (!isPlainName(appName)) {
    throw invalidField(
      'appName',
      'must be a plain name for users of a sub-organization: at most 32 letters, digits, spaces, hyphens, apostrophes and &, at most four words and four digits',
    );
  }
  return { look: { appName }, sender: {} };
}

const PLAIN_NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} &'’-]{0,31}$/u;

/**
 * Whether a text can only be read as a name.
 * SECURITY: no dot, slash, colon or `@`, so that mail clients find no link in it; no sentences and no phone numbers.
 */
export function isPlainName(text: string): boolean {
  const normal = text.normalize('NFKC');
  return (
    PLAIN_NAME.test(text) &&
    PLAIN_NAME.test(normal) &&
    normal.split(' ').length <= 4 &&
    (normal.match(/\p{N}/gu)?.length ?? 0) <= 4
  );
}

/** Rejects fields that only a parent may set. Empty counts as absent. */
export function requireUnset(fields: Readonly<Record<string, string | undefined>>): void {
  const set = Object.keys(fields).filter((field) => (fields[field] ?? '') !== '');
  const [first] = set;
  if (first === undefined) return;
  const description = 'can only be set by users of the parent organization: omit it';
  throw new ServiceError('REQUEST_INVALID', `invalid request: ${first} ${description}`, {
    violations: set.map((field) => ({ field, description })),
  });
}

/** Rejects options that a mail cannot have. Empty counts as absent. */
function requireUsable(look: EmailCustomization, { mailTemplateDir }: Limits): void {
  const { logoUrl = '', magicLinkTemplate = '', templateId = '', templateVariables = '' } = look;
  const reject = (field: string, description: string) => invalidField(`emailCustomization.${field}`, description);
  if (logoUrl !== '' && logoAddress(logoUrl) === undefined) throw reject('logoUrl', 'must be an https URL');
  if (magicLinkTemplate !== '' && !isLinkTemplate(magicLinkTemplate))
    throw reject('magicLinkTemplate', 'must be a URL that contains %s, which is replaced by the secret');
  if (templateId !== '' && findOwnTemplate(mailTemplateDir, templateId) === undefined)
    throw reject('templateId', 'is not the name of a template of the operator (setting mailTemplateDir)');
  const variables = readVariables(templateVariables);
  if (variables === undefined) throw reject('templateVariables', 'must be the JSON text of an object with text values');
  if (templateId === '' && Object.keys(variables).length > 0)
    throw reject('templateVariables', 'requires templateId: only templates of the operator have variables');
}
