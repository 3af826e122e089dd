import { activities } from '@countersign/contract';
import {
  readSubscriptions,
  readWebhookUrl,
  requireAllowedAddress,
  showEndpoint,
  storedMode,
} from '../../notify/webhooks/endpoint.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { limitExceeded, nameTaken } from '../../wire/refuse.ts';

export const createWebhookEndpoint = execute(activities.createWebhookEndpoint, {
  locksOrganization: true,

  requirePossible: ({ webhookEgress }, { url }) => requireAllowedAddress(webhookEgress, url, 'url'),

  async plan({ organization, limits, webhookEgress, nowMs }, params) {
    const stored = organization.records.webhookEndpoint;
    const limit = limits.maxWebhookEndpoints;
    if (stored.size + 1 > limit) throw limitExceeded('webhook endpoints', limit, 'maxWebhookEndpoints');
    const { name } = params;
    if ([...stored.values()].some((other) => other.name === name)) throw nameTaken('webhook endpoint', 'name');
    const url = readWebhookUrl(webhookEgress, params.url, 'url');
    const subscriptions = readSubscriptions(params.subscriptions);
    const dates = { createdAtMs: nowMs, updatedAtMs: nowMs };
    const record = { name, url, isActive: true, subscriptions, ...storedMode(params.deliveryMode), ...dates };
    return { intent: params, subject: { parameters: () => ({ url }) }, prepared: record };
  },

  async run({ organization, webhookEgress, newId }, { prepared: record }) {
    await requireAllowedAddress(webhookEgress, record.url, 'url');
    const endpointId = newId();
    return {
      result: { endpointId, webhookEndpoint: showEndpoint(organization.id, endpointId, record) },
      changes: [{ op: 'putRecord', kind: 'webhookEndpoint', id: endpointId, body: record }],
    };
  },
});
