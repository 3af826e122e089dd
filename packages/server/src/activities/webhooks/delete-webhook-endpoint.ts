import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound } from '../../wire/refuse.ts';

export const deleteWebhookEndpoint = execute(activities.deleteWebhookEndpoint, {
  locksOrganization: true,

  async plan({ organization }, params) {
    const { endpointId } = params;
    if (!organization.records.webhookEndpoint.has(endpointId)) throw notFound('webhook endpoint', 'endpointId');
    return { intent: params, subject: {}, prepared: endpointId };
  },

  async run(_context, { prepared: endpointId }) {
    return { result: { endpointId }, changes: [{ op: 'deleteRecord', kind: 'webhookEndpoint', id: endpointId }] };
  },
});
