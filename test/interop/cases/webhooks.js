import assert from 'node:assert/strict';
import { checkFields } from '../support/check-fields.js';
import { nameFor } from '../support/world.js';

const endpointFields = {
  endpointId: 'id',
  organizationId: 'id',
  url: 'text',
  name: 'text',
  isActive: 'flag',
  subscriptions: 'list',
};

/** Webhook endpoints. `test/webhooks.test.js` checks that deliveries arrive and that the client's own function verifies them. */
export const webhooks = {
  async createWebhookEndpoint({ client }) {
    const subscriptions = [{ eventType: 'ACTIVITY_UPDATES', filtersJson: '{"statuses":["ACTIVITY_STATUS_FAILED"]}' }];
    const answer = await client.createWebhookEndpoint({ ...endpoint(), subscriptions });
    checkFields(answer, { endpointId: 'id' });
    checkFields(answer.webhookEndpoint, endpointFields);
    assert.deepEqual(answer.webhookEndpoint.subscriptions, [{ ...subscriptions[0], isActive: true }]);
    await client.deleteWebhookEndpoint({ endpointId: answer.endpointId });
  },

  async updateWebhookEndpoint({ client }) {
    const { endpointId } = await client.createWebhookEndpoint(endpoint());
    const answer = await client.updateWebhookEndpoint({ endpointId, isActive: false });
    assert.equal(checkFields(answer.webhookEndpoint, endpointFields).isActive, false);
    await client.deleteWebhookEndpoint({ endpointId });
  },

  async deleteWebhookEndpoint({ client }) {
    const { endpointId } = await client.createWebhookEndpoint(endpoint());
    assert.equal((await client.deleteWebhookEndpoint({ endpointId })).endpointId, endpointId);
    const { webhookEndpoints } = await client.listWebhookEndpoints({});
    assert.ok(webhookEndpoints.every((each) => each.endpointId !== endpointId));
  },

  async listWebhookEndpoints({ client }) {
    const { endpointId } = await client.createWebhookEndpoint(endpoint());
    const { webhookEndpoints } = await client.listWebhookEndpoints({});
    checkFields(
      webhookEndpoints.find((each) => each.endpointId === endpointId),
      endpointFields,
    );
    await client.deleteWebhookEndpoint({ endpointId });
  },
};

/** Port 9 accepts nothing: waiting events are deleted with the endpoint. */
const endpoint = () => ({ url: 'http://127.0.0.1:9/activities', name: nameFor('endpoint') });
