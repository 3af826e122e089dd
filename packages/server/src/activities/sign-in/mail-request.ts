import { type EmailCustomization, ServiceError } from '@countersign/contract';
import type { Limits } from '../../config/limits.ts';
import { isLinkTemplate, logoAddress } from '../../mail/magic-link.ts';
import { maySendFrom } from '../../mail/mail-address.ts';
import type { MessageSender } from '../../mail/message.ts';
import { findOwnTemplate, readVariables } from '../../mail/own-template.ts';
import type { PlanContext } from '../../pipeline/plan/executor.ts';
import { invalidField } from '../../wire/refuse.ts';

/** What a request says about the mail that it leads to. */
export interface MailRequest {
  readonly emailCustomization?: EmailCustomization | undefined;
  readonly sendFromEmailAddress?: string | undefined;
  readonly sendFromEmailSenderName?: string | undefined;
  readonly replyToEmailAddress?: string | undefined;
}

/** The look and the sender of a mail, and what of the request has no effect. */
export interface PlannedMail {
  readonly look: EmailCustomization;
  readonly sender: MessageSender;
  readonly warnings: readonly string[];
}

/** Whose words a message speaks: those of users of a sub-organization, or of somebody whom the operator answers for. */
export function speaksForEndUser({ organization, byParent }: Pick<PlanContext, 'organization' | 'byParent'>): boolean {
  return organization.profile.parentId !== null && !byParent;
}

/**
 * Reads how a mail is to look and who it comes from. Refuses a sender that the operator does not allow; what only concerns the look is
 * left out where it cannot be used, with a warning, since a mail that looks plain is better than none.
 * SECURITY: users of a sub-organization choose nothing of a mail. It comes from the operator's domain, and goes to whom they name.
 */
export function planMail(context: PlanContext, request: MailRequest): PlannedMail {
  if (speaksForEndUser(context)) return plainMail(request);
  const { limits } = context;
  const { emailCustomization: look = {}, sendFromEmailAddress: address, sendFromEmailSenderName: name } = request;
  const { replyToEmailAddress: replyTo } = request;
  if (address !== undefined && !maySendFrom(limits, address)) {
    throw invalidField(
      'sendFromEmailAddress',
      'is not an address that this server may send from. The operator allows more with the setting mailSenders',
    );
  }
  const sender = {
    ...(address !== undefined && { address }),
    ...(name !== undefined && { name }),
    ...(replyTo !== undefined && { replyTo }),
  };
  return { look, sender, warnings: unusable(look, limits) };
}

/** What a message that an end user has sent looks like: the operator's. */
function plainMail({ emailCustomization = {}, ...sender }: MailRequest): PlannedMail {
  const { appName = '', ...look } = emailCustomization;
  const { sendFromEmailAddress, sendFromEmailSenderName, replyToEmailAddress } = sender;
  requireUnset({ sendFromEmailAddress, sendFromEmailSenderName, replyToEmailAddress });
  requireUnset(Object.fromEntries(Object.entries(look).map(([field, value]) => [`emailCustomization.${field}`, value])));
  // Later versions of the requests cannot do without a name, so it is no reason to refuse them.
  const warnings = appName === '' ? [] : ['The mail speaks in the name of the operator: appName is for the parent organization.'];
  return { look: {}, sender: {}, warnings };
}

/** Refuses what only a parent may choose. Empty counts as absent. */
export function requireUnset(fields: Readonly<Record<string, string | undefined>>): void {
  const set = Object.keys(fields).filter((field) => (fields[field] ?? '') !== '');
  const [first] = set;
  if (first === undefined) return;
  const description = 'is for users of the parent organization: leave it out';
  throw new ServiceError('REQUEST_INVALID', `invalid request: ${first} ${description}`, {
    violations: set.map((field) => ({ field, description })),
  });
}

function unusable(look: EmailCustomization, { mailTemplateDir }: Limits): string[] {
  const { logoUrl = '', magicLinkTemplate = '', templateId = '', templateVariables = '' } = look;
  const warnings: string[] = [];
  if (logoUrl !== '' && logoAddress(logoUrl) === undefined)
    warnings.push('The mail has no logo: logoUrl is not an https address.');
  if (magicLinkTemplate !== '' && !isLinkTemplate(magicLinkTemplate))
    warnings.push('The mail has no link: magicLinkTemplate is not an address with %s in it.');
  if (templateId !== '' && findOwnTemplate(mailTemplateDir, templateId) === undefined)
    warnings.push('The mail looks as usual: the operator has no template with this templateId.');
  if (templateVariables !== '' && readVariables(templateVariables) === undefined)
    warnings.push('The mail goes without templateVariables: they are not the JSON of an object of strings.');
  return warnings;
}
