import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { invalidField, notFound } from '../../wire/refuse.ts';

/** The commit of this activity sends the event, so a test takes the same path as any other event. */
export const testWebhookEndpoint = execute(activities.testWebhookEndpoint, {
  locksOrganization: false,

  async plan({ organization }, params) {
    const endpoint = organization.records.webhookEndpoint.get(params.endpointId);
    if (endpoint === undefined) throw notFound('webhook endpoint', 'endpointId');
    if (!endpoint.isActive) throw invalidField('endpointId', 'is the id of a paused endpoint: resume it first');
    return { intent: params, subject: {}, prepared: params };
  },

  async run({ organization: { id: organizationId }, limits }, { prepared: { endpointId } }) {
    const value = limits.maxWebhookTests;
    const limit = { value, setting: 'maxWebhookTests', what: 'test events of this organization' };
    return { result: { endpointId }, changes: [], charges: [{ organizationId, name: 'webhook-tests', amount: 1, limit }] };
  },
});
