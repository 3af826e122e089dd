import { z } from 'zod';
import { tokenUrl } from '../masks.ts';
import { policyMarks } from '../policy-view/marks.ts';
import { defaults } from './defaults.ts';
import { label, timestamp } from './primitives.ts';

/** Every event type that clients know. The server may support fewer. */
export const webhookEventType = z
  .enum(['ACTIVITY_UPDATES', 'BALANCE_CONFIRMED_UPDATES', 'BALANCE_FINALIZED_UPDATES', 'SEND_TRANSACTION_STATUS_UPDATES'])
  .meta({ id: 'WebhookEventType' });

/** The events that an endpoint receives. */
export const webhookSubscription = z
  .strictObject({
    eventType: webhookEventType,
    filtersJson: z
      .string()
      .max(4096, 'must have at most 4096 characters')
      .optional()
      .describe(
        'Filter as JSON text: {"types":["ACTIVITY_TYPE_…"],"statuses":["ACTIVITY_STATUS_…"]}. All activities if omitted. Only for ACTIVITY_UPDATES',
      ),
    isActive: z.boolean().optional().meta({ default: defaults.webhookSubscription.isActive }).describe('True by default'),
  })
  .meta({ id: 'WebhookSubscriptionParams' });

/** The address of an endpoint. */
export const webhookUrl = tokenUrl(z.string().min(1, 'must not be empty').max(2048, 'must have at most 2048 characters'))
  .register(policyMarks, { resolved: 'empty', seenAs: 'it in the form that is recorded' })
  .describe(
    'The https URL that receives events. Its address must be public. Responses show its origin, and *** for its path and query',
  );

/** How events are posted to an endpoint. */
export const webhookDeliveryMode = z
  .enum(['WEBHOOK_DELIVERY_MODE_SINGLE', 'WEBHOOK_DELIVERY_MODE_BATCH', 'WEBHOOK_DELIVERY_MODE_PIPELINE'])
  .meta({ id: 'WebhookDeliveryMode' })
  .describe(
    'SINGLE posts one event at a time. BATCH posts up to 100 numbered events at a time, in order. PIPELINE has several batches in flight: order them by number',
  );

/** The name of an endpoint. */
export const webhookName = label.describe('A label for people');

/** A webhook endpoint as results and queries show it. */
export const webhookEndpoint = z
  .object({
    endpointId: z.string(),
    organizationId: z.string(),
    url: tokenUrl(z.string()).describe('The origin of the URL, and *** for its path and query'),
    name: z.string(),
    isActive: z.boolean(),
    subscriptions: z.array(webhookSubscription),
    deliveryMode: webhookDeliveryMode.optional().describe('Absent for WEBHOOK_DELIVERY_MODE_SINGLE'),
  })
  .meta({ id: 'WebhookEndpointData' });

/** The most waiting events of an endpoint that are counted. */
export const MAX_COUNTED_EVENTS = 1_000;

/** How deliveries to one endpoint go. */
export const webhookDeliveryState = z
  .object({
    endpointId: z.string(),
    waitingEvents: z.string().describe(`The number of pending events. ${MAX_COUNTED_EVENTS} means: that many or more`),
    oldestWaitingAt: timestamp.optional().describe('When the oldest pending event happened'),
    lastSuccessAt: timestamp.optional().describe('When the receiver last accepted an event'),
    lastFailure: z
      .object({ at: timestamp, reason: z.string() })
      .optional()
      .describe('When a delivery last failed, and why. Of a response, only the status is reported'),
    dropped: z
      .object({ events: z.string(), lastAt: timestamp })
      .optional()
      .describe(
        'How many events were dropped, because they were too old or too many, and when the last ones were. list_events still has them',
      ),
    nextTryAt: timestamp.optional().describe('When the service retries'),
    disabledAt: timestamp
      .optional()
      .describe(
        'When the service disabled the endpoint because its receiver accepted nothing for too long. isActive: true resumes it',
      ),
  })
  .meta({ id: 'WebhookDeliveryState' });

/** The events that an endpoint receives. */
export type WebhookSubscription = z.output<typeof webhookSubscription>;
/** A webhook endpoint as results and queries show it. */
export type WebhookEndpoint = z.output<typeof webhookEndpoint>;
/** How events are posted to an endpoint. */
export type WebhookDeliveryMode = z.output<typeof webhookDeliveryMode>;
