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

/** Look and sender of a mail, and warnings about options that have no effect. */
export interface PlannedMail {
  readonly look: EmailCustomization;
  readonly sender: MessageSender;
  readonly warnings: readonly string[];
}

/** Whether a message is sent for a user of a sub-organization, not for a caller that the operator is responsible for. */
export function speaksForEndUser({ organization, byParent }: Pick<PlanContext, 'organization' | 'byParent'>): boolean {
  return organization.profile.parentId !== null && !byParent;
}

/**
 * Reads the look and the sender of a mail. Rejects a sender that the operator does not allow. Unusable options that only affect the look
 * are ignored with a warning, since a plain mail is better than none.
 * SECURITY: users of a sub-organization control nothing in a mail, because it comes from the operator's domain and goes to an address that
 * they choose.
 */
export function planMail(context: PlanContext, request: MailRequest): PlannedMail {
  if (speaksForEndUser(context)) return plainMail(request);
  const { limits } = context;
  const { emailCustomization: look = {}, sendFromEmailAddress: address, sendFromEmailSenderName: name } = request;
  const { replyToEmailAddress: replyTo } = request;
  if (address !== undefined && !maySendFrom(limits, address)) {
    throw invalidField(
      'sendFromEmailAddress',
      'is not an address that this server may send from. The operator can allow more with the setting mailSenders',
    );
  }
  const sender = {
    ...(address !== undefined && { address }),
    ...(name !== undefined && { name }),
    ...(replyTo !== undefined && { replyTo }),
  };
  return { look, sender, warnings: unusable(look, limits) };
}

/** Plans a mail for an end user, with the operator's look. */
function plainMail({ emailCustomization = {}, ...sender }: MailRequest): PlannedMail {
  const { appName = '', ...look } = emailCustomization;
  const { sendFromEmailAddress, sendFromEmailSenderName, replyToEmailAddress } = sender;
  requireUnset({ sendFromEmailAddress, sendFromEmailSenderName, replyToEmailAddress });
  requireUnset(Object.fromEntries(Object.entries(look).map(([field, value]) => [`emailCustomization.${field}`, value])));
  // Later versions of these requests require a name, so do not reject it.
  const warnings =
    appName === '' ? [] : ['The email uses the name of the operator: only the parent organization can set appName.'];
  return { look: {}, sender: {}, warnings };
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

function unusable(look: EmailCustomization, { mailTemplateDir }: Limits): string[] {
  const { logoUrl = '', magicLinkTemplate = '', templateId = '', templateVariables = '' } = look;
  const warnings: string[] = [];
  if (logoUrl !== '' && logoAddress(logoUrl) === undefined)
    warnings.push('The email has no logo: logoUrl is not an https address.');
  if (magicLinkTemplate !== '' && !isLinkTemplate(magicLinkTemplate))
    warnings.push('The email has no link: magicLinkTemplate is not an address with %s in it.');
  if (templateId !== '' && findOwnTemplate(mailTemplateDir, templateId) === undefined)
    warnings.push('The email uses the default template: the operator has no template with this templateId.');
  if (templateVariables !== '' && readVariables(templateVariables) === undefined)
    warnings.push('The email is sent without templateVariables: they are not a JSON object of strings.');
  return warnings;
}
