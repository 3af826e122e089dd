import { expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, createPrivateKey, createSubOrganization } from '../../support/world.ts';
import { createOrganization, memberAt, policyParams } from '../policies/support.ts';
import { counted, createEndpoint, gistsOf, nothingWaits, subscribe, toLoopback } from './support.ts';
import { useReceivers } from './use-receivers.ts';

describeEngines(
  'changes of webhook endpoints',
  (subject) => {
    const receiver = useReceivers(() => subject().raw);

    test('a paused endpoint gets no events, its waiting events are dropped, and it can resume later', async () => {
      const { service, raw } = subject();
      const { caller } = await createSubOrganization(service.root);
      const hook = await receiver();
      hook.answer(() => 503);
      const endpointId = await createEndpoint(caller, hook.url);
      await hook.answered(1);
      await caller.result('updateWebhookEndpoint', { endpointId, isActive: false });
      await createPrivateKey(caller);
      await nothingWaits(raw);
      const before = hook.deliveries.length;
      hook.answer(() => 200);
      await caller.result('updateWebhookEndpoint', { endpointId, isActive: true });
      expect(gistsOf(caller.organizationId, await hook.taken(1))).toEqual(['UPDATE_WEBHOOK_ENDPOINT COMPLETED']);
      expect(hook.deliveries).toHaveLength(before + 1);
      expect(await counted(service.url, 'dropped')).toBeGreaterThan(0);
    });

    test('a new address is used at once; a removed endpoint gets no event of its removal', async () => {
      const { caller } = await createSubOrganization(subject().service.root);
      const [first, second] = [await receiver(), await receiver()];
      const endpointId = await createEndpoint(caller, first.url);
      await first.taken(1);
      await caller.result('updateWebhookEndpoint', { endpointId, url: second.url });
      await second.taken(1);
      await caller.result('deleteWebhookEndpoint', { endpointId });
      await createPrivateKey(caller);
      await nothingWaits(subject().raw);
      expect([first, second].map((hook) => gistsOf(caller.organizationId, hook.deliveries))).toEqual([
        ['CREATE_WEBHOOK_ENDPOINT COMPLETED'],
        ['UPDATE_WEBHOOK_ENDPOINT COMPLETED'],
      ]);
    });

    test('a new address does not wait for the old one’s retry pause', async () => {
      const { service, raw } = subject();
      const { caller } = await createSubOrganization(service.root);
      const [down, up] = [await receiver(), await receiver()];
      down.answer(() => 503);
      const endpointId = await createEndpoint(caller, down.url);
      const pause = "UPDATE event_leases SET until_ms = 9000000000000000 WHERE holder = '' AND endpoint_id = ";
      // Without the change it would wait indefinitely.
      await expect.poll(() => raw.run(`${pause}'${endpointId}'`)).toBe(1);
      await caller.result('updateWebhookEndpoint', { endpointId, url: up.url });
      expect(gistsOf(caller.organizationId, await up.taken(2))).toEqual([
        'CREATE_WEBHOOK_ENDPOINT COMPLETED',
        'UPDATE_WEBHOOK_ENDPOINT COMPLETED',
      ]);
    });

    test('FEATURE_NAME_WEBHOOK sends everything to one address, sub-organizations included, until it is removed', async () => {
      const { root } = subject().service;
      const hook = await receiver();
      await root.result('setOrganizationFeature', { name: 'FEATURE_NAME_WEBHOOK', value: hook.url });
      const { caller, organizationId } = await createSubOrganization(root);
      await createPrivateKey(caller);
      await hook.taken(3);
      await root.result('removeOrganizationFeature', { name: 'FEATURE_NAME_WEBHOOK' });
      await createMember(root);
      await nothingWaits(subject().raw);
      // Events of one organization arrive in order; those of two may overtake each other.
      expect(gistsOf(root.organizationId, hook.deliveries)).toEqual([
        'SET_ORGANIZATION_FEATURE COMPLETED',
        'CREATE_SUB_ORGANIZATION_V7 COMPLETED',
      ]);
      expect(gistsOf(organizationId, hook.deliveries)).toEqual(['CREATE_PRIVATE_KEYS_V2 COMPLETED']);
      expect(hook.deliveries).toHaveLength(3);
    });

    test('policies decide who may create, change and remove endpoints, and which', async () => {
      const organization = await createOrganization(subject().service.root, { members: 1 });
      const { userId, caller } = memberAt(organization, 0);
      const hook = await receiver();
      const params = { url: hook.url, name: 'By a member', ...subscribe({ types: ['ACTIVITY_TYPE_CREATE_WALLET'] }) };
      const foreignId = await createEndpoint(organization.root, hook.url, subscribe({ types: ['ACTIVITY_TYPE_CREATE_WALLET'] }));
      expect((await caller.submit('createWebhookEndpoint', params)).status).toBe(403);
      const consensus = `approvers.any(user, user.id == '${userId}')`;
      const allow = (condition: string) =>
        organization.root.result('createPolicy', policyParams('ALLOW', { condition, consensus }));
      await allow("activity.resource == 'WEBHOOK_ENDPOINT' && activity.action == 'CREATE'");
      const { endpointId } = await caller.result('createWebhookEndpoint', params);
      expect((await caller.submit('updateWebhookEndpoint', { endpointId, isActive: false })).status).toBe(403);
      expect((await caller.submit('deleteWebhookEndpoint', { endpointId })).status).toBe(403);
      await allow(`activity.resource == 'WEBHOOK_ENDPOINT' && activity.params.endpoint_id == '${endpointId}'`);
      expect((await caller.submit('updateWebhookEndpoint', { endpointId: foreignId, isActive: false })).status).toBe(403);
      expect((await caller.submit('deleteWebhookEndpoint', { endpointId: foreignId })).status).toBe(403);
      await caller.result('updateWebhookEndpoint', { endpointId, isActive: false });
      await caller.result('deleteWebhookEndpoint', { endpointId });
    });

    test('a sub-organization’s deletion is sent to its parent, and events for its own endpoint are dropped', async () => {
      const { root } = subject().service;
      const { caller, organizationId } = await createSubOrganization(root);
      const [above, own] = [await receiver(), await receiver()];
      own.answer(() => 503);
      await createEndpoint(caller, own.url);
      await own.answered(1);
      const endpointId = await createEndpoint(root, above.url, subscribe({ types: ['ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION'] }));
      await caller.result('deleteSubOrganization', { deleteWithoutExport: true });
      expect(gistsOf(organizationId, await above.taken(1))).toEqual(['DELETE_SUB_ORGANIZATION COMPLETED']);
      await nothingWaits(subject().raw);
      expect(own.deliveries.map(({ activity }) => activity.type)).not.toContain('ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION');
      await root.result('deleteWebhookEndpoint', { endpointId });
    });
  },
  toLoopback,
);
