import { activities, defaults } from '@countersign/contract';
import { readWebhookUrl, requireAllowedAddress, showEndpoint, storedMode } from '../../notify/webhooks/endpoint.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { invalidField, nameTaken, notFound } from '../../wire/refuse.ts';

export const updateWebhookEndpoint = execute(activities.updateWebhookEndpoint, {
  locksOrganization: true,

  async requirePossible({ webhookEgress }, { url }) {
    if (url !== undefined) await requireAllowedAddress(webhookEgress, url, 'url');
  },

  async plan({ organization, webhookEgress, nowMs }, params) {
    const { endpointId, name, isActive, deliveryMode } = params;
    const stored = organization.records.webhookEndpoint;
    const known = stored.get(endpointId);
    if (known === undefined) throw notFound('webhook endpoint', 'endpointId');
    const url = params.url === undefined ? undefined : readWebhookUrl(webhookEgress, params.url, 'url');
    if ([url, name, isActive, deliveryMode].every((value) => value === undefined))
      throw invalidField('endpointId', 'is the only field: add url, name, isActive or deliveryMode');
    if ([...stored].some(([id, other]) => id !== endpointId && other.name === name)) throw nameTaken('webhook endpoint', 'name');
    const { deliveryMode: mode, disabledAtMs, ...rest } = known;
    const record = {
      ...rest,
      ...storedMode(deliveryMode ?? mode),
      ...(disabledAtMs !== undefined && isActive !== true && { disabledAtMs }),
      ...(url !== undefined && { url }),
      ...(name !== undefined && { name }),
      ...(isActive !== undefined && { isActive }),
      updatedAtMs: nowMs,
    };
    const parameters = () => ({
      isActive: record.isActive,
      url: url ?? '',
      deliveryMode: record.deliveryMode ?? defaults.webhookDeliveryMode,
    });
    return { intent: params, subject: { parameters }, prepared: { endpointId, record, moved: url !== undefined } };
  },

  async run({ organization, webhookEgress }, { prepared: { endpointId, record, moved } }) {
    if (moved) await requireAllowedAddress(webhookEgress, record.url, 'url');
    return {
      result: { endpointId, webhookEndpoint: showEndpoint(organization.id, endpointId, record) },
      changes: [{ op: 'putRecord', kind: 'webhookEndpoint', id: endpointId, body: record }],
    };
  },
});
