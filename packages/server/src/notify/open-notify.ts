import type { Logger } from 'pino';
import type { Config } from '../config/settings.ts';
import { createEgressAllowlist, type EgressAllowlist } from '../network/egress-allowlist.ts';
import { compileBlocks, parseCidr } from '../network/ip-blocks.ts';
import type { ActivityRecord } from '../organizations/activities/activity-record.ts';
import type { Snapshots } from '../organizations/snapshot/snapshots.ts';
import type { Store } from '../store/store.ts';
import type { Integrity } from '../vault/vault.ts';
import { createSignal, type Signal } from './delivery/signal.ts';
import type { Channel, OutgoingMail, OutgoingSms } from './mail/channel.ts';
import { smsChannel } from './mail/sms-channel.ts';
import { smtpChannel } from './mail/smtp-channel.ts';
import { createFullQueues, type FullQueues } from './webhooks/full-queues.ts';
import {
  createWebhookEvents,
  resumeChangedEndpoints,
  type SendEventsFor,
  type WebhookEventsFor,
} from './webhooks/webhook-events.ts';

/** Everything that leaves the service: mail and text messages, webhooks, push messages. */
export interface Notify {
  readonly mail: Messaging;
  readonly webhooks: Webhooks;
  readonly push: {
    /** Which addresses push messages may be sent to. */
    readonly egress: EgressAllowlist;
  };
}

/** The configured message channels. */
export interface Messaging {
  /** Signals that messages may be pending. */
  readonly signal: Signal;
  readonly mail: Channel<OutgoingMail> | undefined;
  readonly sms: Channel<OutgoingSms> | undefined;
}

export interface Webhooks {
  /** Signals that events may be pending. */
  readonly signal: Signal;
  /** Creates the event rows of an activity for its subscribers. */
  readonly eventsFor: WebhookEventsFor;
  /** Creates the event rows of a new state of a transaction that the service sends. */
  readonly sendEventsFor: SendEventsFor;
  /** Which addresses webhooks may be sent to. */
  readonly egress: EgressAllowlist;
  readonly fullQueues: FullQueues;
  /** Ends the pause of an endpoint that a committed activity changed: the new address does not have to wait. */
  resumeChanged(record: ActivityRecord): void;
}

/** Throws ConfigError if a channel is configured but cannot be used. */
export function openMail(config: Config): Messaging {
  return { signal: createSignal(), mail: smtpChannel(config), sms: smsChannel(config) };
}

export function openWebhooks(
  config: Config,
  store: Pick<Store, 'events'>,
  snapshots: Snapshots,
  integrity: Integrity,
  log: Pick<Logger, 'warn'>,
): Webhooks {
  const signal = createSignal();
  const fullQueues = createFullQueues();
  const { ofActivity, ofSend } = createWebhookEvents(snapshots, integrity, fullQueues);
  return {
    signal,
    fullQueues,
    eventsFor: ofActivity,
    sendEventsFor: ofSend,
    egress: createEgressAllowlist(compileBlocks(config.webhookNetworks.map(parseCidr))),
    resumeChanged: resumeChangedEndpoints((endpointId) => {
      store.events.wake(endpointId).then(signal.notify, (error) => log.warn({ err: error }, 'a retry delay was not reset'));
    }),
  };
}

export function openPush(config: Config): Notify['push'] {
  return { egress: createEgressAllowlist(compileBlocks(config.pushNetworks.map(parseCidr)), 'pushNetworks') };
}
