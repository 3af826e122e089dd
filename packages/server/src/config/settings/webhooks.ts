import type { Setting } from '../setting.ts';
import { blocks, whole } from '../setting-values.ts';

/** Webhooks and push messages. */
export const webhookSettings = {
  maxWebhookEndpoints: { schema: whole(1, 100), default: '10', describe: 'Maximum webhook endpoints in an organization' },
  maxWebhookTests: {
    schema: whole(0, 100_000),
    default: '100',
    describe: 'Maximum webhook test events of an organization per day',
  },
  maxWaitingEvents: {
    schema: whole(1, 10_000_000),
    default: '20000',
    describe:
      'Maximum undelivered events of a webhook endpoint; it gets no more until there is room, and get_webhook_deliveries counts what it loses',
  },
  maxWaitingEventMegabytes: {
    schema: whole(1, 100_000),
    default: '64',
    describe: 'The same limit in megabytes',
  },
  webhookNetworks: {
    schema: blocks,
    default: '',
    describe: 'Private networks that webhooks may reach, also over plain http: CIDR blocks such as 10.0.0.0/8, comma-separated',
    form: 'list',
  },
  pushNetworks: {
    schema: blocks,
    default: '',
    describe: 'Private networks that browser push messages may reach, also over plain http: CIDR blocks, comma-separated',
    form: 'list',
  },
  webhookRetryHours: {
    schema: whole(1, 720),
    default: '24',
    describe: 'How long an event is retried before it is dropped. An endpoint that accepts nothing for this time is disabled',
  },
} as const satisfies Record<string, Setting>;
