import type { Config } from '../config/settings.ts';
import type { Service } from '../service.ts';
import { mailStyle } from './mail-style.ts';
import { type Mailer, startMailer } from './mailer.ts';

/** Whether messages that have no channel stay in the development mailbox: only where no mail server is configured. */
export function isDevelopment({ smtpUrl }: Pick<Config, 'smtpUrl'>): boolean {
  return smtpUrl === undefined;
}

/** Starts delivering what the activities of an open installation put into the outbox. */
export function serviceMailer(config: Config, { services, metrics, log, messaging }: Service): Mailer {
  const { store, vault, clock } = services;
  return startMailer({
    outbox: store.outbox,
    vault,
    clock,
    log,
    ...messaging,
    style: mailStyle(config),
    development: isDevelopment(config),
    onDelivery: metrics.delivery,
  });
}
