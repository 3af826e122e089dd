import { endWithMessage } from './activities/credentials/mailed-keys.ts';
import type { Config } from './config/settings.ts';
import { mailStyle } from './mail/mail-style.ts';
import { isDevelopment } from './mail/mailbox.ts';
import { type Mailer, startMailer } from './mail/mailer.ts';
import { amend } from './pipeline/amend.ts';
import type { Service } from './service.ts';

/** Starts delivering what the activities of an open installation put into the outbox. */
export function serviceMailer(config: Config, { services, metrics, log, messaging, backgroundClock }: Service): Mailer {
  const { store, vault, clock } = services;
  return startMailer({
    outbox: store.outbox,
    counters: store.counters,
    vault,
    clock: backgroundClock,
    log,
    ...messaging,
    style: mailStyle(config),
    development: isDevelopment(config),
    async endWithMessage(organizationId, messageId) {
      const ended = await amend(services, organizationId, (organization) =>
        endWithMessage(organization, messageId, clock.nowMs()),
      );
      if (ended) log.warn({ organizationId, messageId }, 'a key or code ended with the message that carried it');
    },
    onDelivery: metrics.delivery,
  });
}
