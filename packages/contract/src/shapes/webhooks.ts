import { z } from 'zod';
import { label } from './primitives.ts';

/** Everything that clients know as an event. What a server offers may be less. */
export const webhookEventType = z
  .enum(['ACTIVITY_UPDATES', 'BALANCE_CONFIRMED_UPDATES', 'BALANCE_FINALIZED_UPDATES', 'SEND_TRANSACTION_STATUS_UPDATES'])
  .meta({ id: 'WebhookEventType' });

/** What an endpoint is told of. */
export const webhookSubscription = z
  .strictObject({
    eventType: webhookEventType,
    filtersJson: z
      .string()
      .max(4096, 'must have at most 4096 characters')
      .optional()
      .describe('Which activities, as JSON: {"types":["ACTIVITY_TYPE_…"],"statuses":["ACTIVITY_STATUS_…"]}; all without it'),
    isActive: z.boolean().optional().describe('True by default'),
  })
  .meta({ id: 'WebhookSubscriptionParams' });

export const webhookUrl = z
  .string()
  .min(1, 'must not be empty')
  .max(2048, 'must have at most 2048 characters')
  .describe('Where events are posted to: https, at a public address');

export const webhookName = label.describe('A name for people');

/** An endpoint as results and queries show it. */
export const webhookEndpoint = z
  .object({
    endpointId: z.string(),
    organizationId: z.string(),
    url: z.string(),
    name: z.string(),
    isActive: z.boolean(),
    subscriptions: z.array(webhookSubscription),
  })
  .meta({ id: 'WebhookEndpointData' });

export type WebhookSubscription = z.output<typeof webhookSubscription>;
export type WebhookEndpoint = z.output<typeof webhookEndpoint>;
