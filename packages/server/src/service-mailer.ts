import type { Config } from './config/settings.ts';
import { mailStyle } from './mail/mail-style.ts';
import { isDevelopment } from './mail/mailbox.ts';
import { type Mailer, startMailer } from './mail/mailer.ts';
import type { Service } from './service.ts';

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
