import type { Config } from '../config/settings.ts';
import { type Dispatcher, startDispatcher } from '../notify/webhooks/dispatcher.ts';
import { createPoster } from '../notify/webhooks/post-event.ts';
import type { Service } from '../open-service.ts';

const HOUR_MS = 3_600_000;
const MEGABYTE = 1_000_000;

/** Starts delivering webhook events. */
export function serviceDispatcher(config: Config, { services, log, backgroundClock }: Service): Dispatcher {
  const { store, organizations, vault, notify, statistics } = services;
  return startDispatcher({
    events: store.events,
    snapshots: organizations.snapshots,
    vault,
    poster: createPoster(notify.webhooks.egress),
    clock: backgroundClock,
    log,
    signal: notify.webhooks.signal,
    maxAgeMs: config.webhookRetryHours * HOUR_MS,
    maxQueuedBytes: config.maxWaitingEventMegabytes * MEGABYTE,
    onEvent: statistics.metrics.event,
    alarm: statistics.alarms.state,
  });
}
