import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeEngines } from '../support/describe-engines.ts';
import { createPrivateKey, createSubOrganization, signParams, uniqueName } from '../support/world.ts';
import { type Receiver, startReceiver } from './receiver.ts';

describeEngines(
  'webhook deliveries',
  (subject) => {
    let receiver: Receiver;
    beforeAll(async () => {
      receiver = await startReceiver();
    });
    afterAll(() => receiver.close());

    test('ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT is carried out: the parent is told of its own and of its sub-organizations’ activities', async () => {
      const { root } = subject().service;
      const { endpointId } = await root.result('createWebhookEndpoint', { url: receiver.url, name: uniqueName('Hook') });
      const child = await createSubOrganization(root);
      const keyId = await createPrivateKey(child.caller);
      await child.caller.result('signRawPayload', signParams(keyId));
      const told = await receiver.until((all) => all.length >= 4);
      expect(told.map(({ activity }) => [activity.organizationId, activity.type, activity.status])).toEqual([
        [root.organizationId, 'ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT', 'ACTIVITY_STATUS_COMPLETED'],
        [root.organizationId, 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7', 'ACTIVITY_STATUS_COMPLETED'],
        [child.organizationId, 'ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2', 'ACTIVITY_STATUS_COMPLETED'],
        [child.organizationId, 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', 'ACTIVITY_STATUS_COMPLETED'],
      ]);
      expect(endpointId).toBeTruthy();
    });
  },
  { config: { webhookNetworks: ['127.0.0.0/8'] } },
);
