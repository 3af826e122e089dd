import type { Config } from '../../config/settings.ts';
import { isLoopbackHost } from '../../network/public-address.ts';
import { isDevelopment } from './mailbox.ts';
import { findOwnTemplate } from './own-template.ts';
import type { MailStyle } from './render-mail.ts';

/** The look of mail, from the operator's settings. */
export function mailStyle(config: Config): MailStyle {
  const { mailAppName, mailTemplateDir, invitationUrl } = config;
  return {
    appName: mailAppName,
    invitationUrl,
    consoleUrl: linkedConsole(config),
    findTemplate: (templateId) => findOwnTemplate(mailTemplateDir, templateId),
  };
}

/**
 * The console URL in mails. Only the operator knows the public name of this server. In development, mails are read on the same machine, so
 * the URL is on localhost.
 */
function linkedConsole(config: Config): string | undefined {
  const { publicUrl, host, port } = config;
  if (config.console === 'off') return undefined;
  if (publicUrl !== undefined) return `${publicUrl}/console/`;
  const at = typeof config.console === 'number' ? config.console : port;
  return isDevelopment(config) && isLoopbackHost(host) && at !== 0 ? `http://localhost:${at}/console/` : undefined;
}
