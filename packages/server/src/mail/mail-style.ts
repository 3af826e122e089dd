import type { Config } from '../config/settings.ts';
import { findOwnTemplate } from './own-template.ts';
import type { MailStyle } from './render-mail.ts';

/** The look of mail, from the operator's settings. */
export function mailStyle({
  mailAppName,
  mailTemplateDir,
  invitationUrl,
}: Pick<Config, 'mailAppName' | 'mailTemplateDir' | 'invitationUrl'>): MailStyle {
  return { appName: mailAppName, invitationUrl, findTemplate: (templateId) => findOwnTemplate(mailTemplateDir, templateId) };
}
