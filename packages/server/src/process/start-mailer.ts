import { endWithMessage } from '../activities/credentials/mailed-keys.ts';
import type { Config } from '../config/settings.ts';
import { parseMailFrom } from '../notify/mail/mail-address.ts';
import { mailStyle } from '../notify/mail/mail-style.ts';
import { isDevelopment } from '../notify/mail/mailbox.ts';
import { type Mailer, startMailer } from '../notify/mail/mailer.ts';
import { createPushChannel } from '../notify/push/push-channel.ts';
import { createVapid } from '../notify/push/vapid.ts';
import { createPoster, type Poster, PUSH_TIMEOUT_MS } from '../notify/webhooks/post-event.ts';
import type { Service } from '../open-service.ts';
import { changeAsSystem } from '../pipeline/commit/system-change.ts';

/** Starts delivering what the activities of an open installation put into the outbox. `poster` sends push messages elsewhere. */
export function serviceMailer(config: Config, { services, log, backgroundClock }: Service, poster?: Poster): Mailer {
  const { store, vault, clock, organizations, notify, statistics } = services;
  const push = createPushChannel({
    snapshots: organizations.snapshots,
    poster: poster ?? createPoster(notify.push.egress, PUSH_TIMEOUT_MS),
    vapid: createVapid(vault.service, vapidContact(config)),
    clock: backgroundClock,
    async remove(organizationId, id) {
      await changeAsSystem(services, organizationId, ({ records }) =>
        records.pushSubscription.has(id) ? [{ op: 'deleteRecord', kind: 'pushSubscription', id }] : [],
      );
    },
  });
  const mailer = startMailer({
    outbox: store.outbox,
    counters: store.counters,
    mailEvents: store.mailEvents,
    newId: services.newId,
    mailFrom: config.mailFrom === undefined ? '' : parseMailFrom(config.mailFrom).address,
    vault,
    clock: backgroundClock,
    log,
    ...notify.mail,
    push,
    style: mailStyle(config),
    development: isDevelopment(config),
    async endWithMessage(organizationId, messageId) {
      const ended = await changeAsSystem(services, organizationId, (organization) =>
        endWithMessage(organization, messageId, clock.nowMs()),
      );
      if (ended) log.warn({ organizationId, messageId }, 'a key or code was ended because its message was rejected');
    },
    onDelivery: statistics.metrics.delivery,
  });
  return {
    async stop() {
      await mailer.stop();
      push.close();
    },
  };
}

/** Where push services reach the operator. RFC 8292 section 2.1: an https or mailto address. */
function vapidContact({ publicUrl }: Config): string | undefined {
  return publicUrl?.startsWith('https://') ? publicUrl : undefined;
}
