import type { EmailCustomization } from '@countersign/contract';
import type { Limits } from '../../config/limits.ts';
import { isLinkTemplate, logoAddress } from '../../mail/magic-link.ts';
import { maySendFrom } from '../../mail/mail-address.ts';
import type { MessageSender } from '../../mail/message.ts';
import { findOwnTemplate, readVariables } from '../../mail/own-template.ts';
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

/**
 * Reads how a mail is to look and who it comes from. Refuses a sender that the operator does not allow; what only concerns the look is
 * left out where it cannot be used, with a warning, since a mail that looks plain is better than none.
 */
export function planMail(request: MailRequest, limits: Limits): PlannedMail {
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
