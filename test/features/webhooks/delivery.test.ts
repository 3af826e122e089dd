import { expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, createPrivateKey, createSubOrganization, signParams, subOrganizationParams } from '../../support/world.ts';
import { createOrganization } from '../policies/support.ts';
import type { Receiver } from './receiver.ts';
import { createEndpoint, eventIdOf, gist, gistsOf, isAuthentic, lastOf, nothingWaits, subscribe, toLoopback } from './support.ts';
import { useReceivers } from './use-receivers.ts';

describeEngines(
  'webhook deliveries',
  (subject) => {
    const receiver = useReceivers(() => subject().raw);

    test('ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT is executed: the event is the signed activity, with its headers', async () => {
      const { service } = subject();
      const { caller, organizationId } = await createSubOrganization(service.root);
      const hook = await receiver();
      await createEndpoint(caller, hook.url);
      const privateKeyId = await createPrivateKey(caller);
      const answer = await caller.with({ dialect: 'turnkey' }).submit('signRawPayload', signParams(privateKeyId));
      const told = await hook.taken(3);
      expect(told.map(gist)).toEqual([
        `${organizationId} CREATE_WEBHOOK_ENDPOINT COMPLETED`,
        `${organizationId} CREATE_PRIVATE_KEYS_V2 COMPLETED`,
        `${organizationId} SIGN_RAW_PAYLOAD_V2 COMPLETED`,
      ]);
      const [, , signed] = told;
      // Everything except fields that depend on the reader: a receiver cannot approve.
      expect(signed?.activity).toEqual({ ...answer.body.activity, canApprove: false, canReject: false });
      expect(signed?.headers).toMatchObject({
        'content-type': 'application/json',
        'x-turnkey-organization-id': organizationId,
        'x-turnkey-event-type': 'ACTIVITY_UPDATES',
        'x-turnkey-webhook-version': '1',
        'x-turnkey-event-id': expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      });
      expect(new Set(told.map(eventIdOf)).size).toBe(3);
      for (const delivery of told) expect(await isAuthentic(service.url, delivery)).toBe(true);
      expect(await isAuthentic(service.url, { ...lastOf(told), body: `${lastOf(told).body} ` })).toBe(false);
    });

    test('a parent gets events of its sub-organizations, a sub-organization only its own', async () => {
      const { root } = subject().service;
      const [above, own, beside] = [await receiver(), await receiver(), await receiver()];
      const parentEndpoint = await createEndpoint(root, above.url);
      const [child, sibling] = [await createSubOrganization(root), await createSubOrganization(root)];
      await createEndpoint(child.caller, own.url);
      await createEndpoint(sibling.caller, beside.url);
      await createPrivateKey(child.caller);
      await createPrivateKey(sibling.caller);
      await createMember(root);
      const told = await above.taken(8);
      await root.result('deleteWebhookEndpoint', { endpointId: parentEndpoint });
      await nothingWaits(subject().raw);
      const childActivities = ['CREATE_WEBHOOK_ENDPOINT COMPLETED', 'CREATE_PRIVATE_KEYS_V2 COMPLETED'];
      expect(gistsOf(root.organizationId, told)).toEqual([
        'CREATE_WEBHOOK_ENDPOINT COMPLETED',
        'CREATE_SUB_ORGANIZATION_V7 COMPLETED',
        'CREATE_SUB_ORGANIZATION_V7 COMPLETED',
        'CREATE_USERS_V3 COMPLETED',
      ]);
      for (const [{ organizationId }, hook] of [
        [child, own],
        [sibling, beside],
      ] as const) {
        expect(gistsOf(organizationId, told)).toEqual(childActivities);
        expect(hook.deliveries.map(gist)).toEqual(childActivities.map((text) => `${organizationId} ${text}`));
      }
    });

    test('filters select by type and by status; a disabled subscription sends nothing', async () => {
      const { caller } = await createSubOrganization(subject().service.root);
      const [types, statuses, none] = [await receiver(), await receiver(), await receiver()];
      await createEndpoint(caller, types.url, subscribe({ types: ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'] }));
      await createEndpoint(caller, statuses.url, subscribe({ statuses: ['ACTIVITY_STATUS_FAILED'] }));
      await createEndpoint(caller, none.url, { subscriptions: [{ eventType: 'ACTIVITY_UPDATES', isActive: false }] });
      const privateKeyId = await createPrivateKey(caller);
      const stranger = await createMember(caller);
      await stranger.caller.submit('createWallet', { walletName: 'Denied', accounts: [] });
      await stranger.caller.submit('signRawPayload', signParams(privateKeyId));
      await caller.result('signRawPayload', signParams(privateKeyId));
      await Promise.all([types.taken(2), statuses.taken(2)]);
      await nothingWaits(subject().raw);
      const own = (hook: Receiver) => gistsOf(caller.organizationId, hook.deliveries);
      expect(own(types)).toEqual(['SIGN_RAW_PAYLOAD_V2 FAILED', 'SIGN_RAW_PAYLOAD_V2 COMPLETED']);
      expect(own(statuses)).toEqual(['CREATE_WALLET FAILED', 'SIGN_RAW_PAYLOAD_V2 FAILED']);
      expect(own(none)).toEqual([]);
    });

    test('a failed activity is sent with its failure', async () => {
      const { caller } = await createSubOrganization(subject().service.root);
      const stranger = await createMember(caller);
      const hook = await receiver();
      await createEndpoint(caller, hook.url, subscribe({ statuses: ['ACTIVITY_STATUS_FAILED'] }));
      await stranger.caller.submit('createWallet', { walletName: 'Denied', accounts: [] });
      const [told] = await hook.taken(1);
      expect(told?.activity).toMatchObject({ status: 'ACTIVITY_STATUS_FAILED', failure: { code: 7 }, result: {} });
    });

    test('an activity that needs consensus is sent when it starts to wait and when it ends', async () => {
      const { root, roots } = await createOrganization(subject().service.root, { roots: 2, threshold: 1 });
      const hook = await receiver();
      await createEndpoint(root, hook.url, subscribe({ types: ['ACTIVITY_TYPE_CREATE_WALLET'] }));
      await root.result('updateRootQuorum', { threshold: 2, userIds: roots.map(({ userId }) => userId) });
      const second = roots[1]?.caller ?? root;
      for (const [vote, end] of [
        ['approveActivity', 'COMPLETED'],
        ['rejectActivity', 'REJECTED'],
      ] as const) {
        const before = hook.deliveries.length;
        const { body } = await root.with({ dialect: 'turnkey' }).submit('createWallet', { walletName: end, accounts: [] });
        await second.submit(vote, { fingerprint: body.activity.fingerprint });
        const told = (await hook.taken(before + 2)).slice(before);
        expect(told.map(gist)).toEqual(
          ['CONSENSUS_NEEDED', end].map((status) => `${root.organizationId} CREATE_WALLET ${status}`),
        );
        expect(told.map(({ activity }) => [activity.id, activity.votes.length])).toEqual([
          [body.activity.id, 1],
          [body.activity.id, 2],
        ]);
        expect(new Set(told.map(eventIdOf)).size).toBe(2);
      }
    });

    test('a repeated request is sent once', async () => {
      const { caller } = await createSubOrganization(subject().service.root);
      const hook = await receiver();
      await createEndpoint(caller, hook.url, subscribe({ types: ['ACTIVITY_TYPE_CREATE_WALLET'] }));
      const body = caller.submitBody('createWallet', { walletName: 'Once', accounts: [] });
      await Promise.all([1, 2, 3].map(() => caller.send(caller.submitPath('createWallet'), body)));
      await caller.send(caller.submitPath('createWallet'), body);
      await hook.taken(1);
      await nothingWaits(subject().raw);
      expect(hook.deliveries).toHaveLength(1);
    });

    test('each of several endpoints gets all events, under the same ids', async () => {
      const { caller } = await createSubOrganization(subject().service.root);
      const [one, two] = [await receiver(), await receiver()];
      await createEndpoint(caller, one.url);
      await createEndpoint(caller, two.url);
      await createPrivateKey(caller);
      await Promise.all([one.taken(3), two.taken(2)]);
      const last = [one, two].map((hook) => lastOf(hook.deliveries));
      expect(last[0]?.body).toBe(last[1]?.body);
      expect(new Set(last.map(eventIdOf)).size).toBe(1);
    });

    test('a parent’s endpoint gets a new sub-organization’s events from its first activity on', async () => {
      const { root } = subject().service;
      const hook = await receiver();
      const endpointId = await createEndpoint(root, hook.url, subscribe({ types: ['ACTIVITY_TYPE_CREATE_WALLET'] }));
      const key = newApiKey();
      const { subOrganizationId } = await root.result('createSubOrganization', subOrganizationParams(key));
      await root.with({ key, organizationId: subOrganizationId }).result('createWallet', { walletName: 'First', accounts: [] });
      expect(gist(lastOf(await hook.taken(1)))).toBe(`${subOrganizationId} CREATE_WALLET COMPLETED`);
      await root.result('deleteWebhookEndpoint', { endpointId });
    });
  },
  toLoopback,
);
