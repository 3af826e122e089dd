import type { Config } from '../config/settings.ts';
import { noteDisabled } from '../notify/mail/endpoint-notices.ts';
import { disableEndpoint } from '../notify/webhooks/dead-endpoint.ts';
import { type Dispatcher, startDispatcher } from '../notify/webhooks/dispatcher.ts';
import { createPoster, type Poster } from '../notify/webhooks/post-event.ts';
import type { Service } from '../open-service.ts';
import { changeAsSystem } from '../pipeline/commit/system-change.ts';

const HOUR_MS = 3_600_000;
const MEGABYTE = 1_000_000;

/** Starts delivering webhook events. `poster` sends them elsewhere. */
export function serviceDispatcher(config: Config, { services, log, backgroundClock }: Service, poster?: Poster): Dispatcher {
  const { store, organizations, vault, notify, statistics } = services;
  return startDispatcher({
    events: store.events,
    snapshots: organizations.snapshots,
    vault,
    poster: poster ?? createPoster(notify.webhooks.egress),
    clock: backgroundClock,
    log,
    signal: notify.webhooks.signal,
    maxAgeMs: config.webhookRetryHours * HOUR_MS,
    fullQueues: notify.webhooks.fullQueues,
    queueLimits: { events: config.maxWaitingEvents, bytes: config.maxWaitingEventMegabytes * MEGABYTE },
    onEvent: statistics.metrics.event,
    alarm: statistics.alarms.state,
    async disable(endpoint, sinceMs) {
      const { listenerId: organizationId, endpointId } = endpoint;
      const isDisabled = await changeAsSystem(services, organizationId, (organization) =>
        disableEndpoint(organization, endpointId, sinceMs, backgroundClock.nowMs()),
      );
      if (!isDisabled) return;
      statistics.metrics.endpointDisabled();
      log.warn(
        { organizationId, endpointId },
        'a webhook endpoint was disabled because its receiver accepted nothing for too long',
      );
      await noteDisabled(store.notices, organizationId, backgroundClock.nowMs());
    },
  });
}
