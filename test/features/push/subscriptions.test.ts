import { hash } from 'node:crypto';
import { MAX_PUSH_SUBSCRIPTIONS } from '@countersign/contract';
import { p256 } from '@noble/curves/nist.js';
import { afterAll, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { apiKeyParams, createMember, errorOf, type Member, uniqueName } from '../../support/world.ts';
import { login } from '../sign-in/sessions-support.ts';
import { startPushService } from './push-service.ts';

const pushService = await startPushService();
afterAll(() => pushService.close());

/** Webhooks may go to more of this machine than push messages. */
const config = { pushNetworks: ['127.0.0.1/32'], webhookNetworks: ['127.0.0.0/8'] };

describeEngines(
  'push subscriptions',
  (subject) => {
    const root = () => subject().service.root;
    const listed = async ({ caller }: Pick<Member, 'caller'>) => (await caller.data('listPushSubscriptions')).pushSubscriptions;
    const refusal = async ({ caller }: Member, change: object) =>
      errorOf(await caller.submit('createPushSubscription', { ...pushService.subscribe().params, ...change }));

    test('users add, list and remove their own subscriptions without a policy', async () => {
      const ann = await createMember(root());
      const { params } = pushService.subscribe();
      const { pushSubscriptionId } = await ann.caller.result('createPushSubscription', params);
      const { applicationServerKey, pushSubscriptions } = await ann.caller.data('listPushSubscriptions');
      expect(p256.Point.fromBytes(Buffer.from(applicationServerKey, 'base64url')).toBytes(false)).toHaveLength(65);
      expect(pushSubscriptions).toEqual([
        {
          pushSubscriptionId,
          name: params.name,
          service: new URL(params.endpoint).host,
          endpointDigest: hash('sha256', params.endpoint, 'base64url'),
          createdAt: { seconds: expect.any(String), nanos: expect.any(String) },
        },
      ]);
      await ann.caller.result('deletePushSubscription', { pushSubscriptionId });
      expect(await listed(ann)).toEqual([]);
    });

    test('a repeated subscription replaces the earlier one, and a user has a limited number', async () => {
      const ann = await createMember(root());
      const { params } = pushService.subscribe();
      await ann.caller.result('createPushSubscription', params);
      for (let count = 1; count < MAX_PUSH_SUBSCRIPTIONS; count++)
        await ann.caller.result('createPushSubscription', pushService.subscribe().params);
      expect(await refusal(ann, {})).toMatchObject({ code: 'LIMIT_EXCEEDED' });
      const { pushSubscriptionId } = await ann.caller.result('createPushSubscription', { ...params, name: 'Again' });
      const all = await listed(ann);
      expect(all).toHaveLength(MAX_PUSH_SUBSCRIPTIONS);
      expect(all.filter(({ name }: { name: string }) => name === 'Again')).toMatchObject([{ pushSubscriptionId }]);
    });

    test('invalid encryption keys are refused', async () => {
      const ann = await createMember(root());
      const { p256dh } = pushService.subscribe().params;
      const point = Buffer.from(p256dh, 'base64url');
      const wrong = [
        Buffer.concat([Buffer.of(4), Buffer.alloc(64, 0x11)]).toString('base64url'),
        Buffer.alloc(65).toString('base64url'),
        Buffer.concat([Buffer.of(6), point.subarray(1)]).toString('base64url'),
        Buffer.from(p256.Point.fromBytes(point).toBytes(true)).toString('base64url'),
        `${p256dh.slice(0, -1)}B`,
        point.toString('hex'),
        '',
      ];
      for (const each of wrong) expect(await refusal(ann, { p256dh: each })).toMatchObject({ status: 400, fields: ['p256dh'] });
      for (const bytes of [0, 15, 17])
        expect(await refusal(ann, { auth: Buffer.alloc(bytes, 7).toString('base64url') })).toMatchObject({ fields: ['auth'] });
      expect(await listed(ann)).toEqual([]);
    });

    test('A84: push messages are never sent to internal addresses, even if webhooks are allowed there', async () => {
      const ann = await createMember(root());
      const port = new URL(pushService.origin).port;
      const inside = [
        'https://10.0.0.1/push',
        'https://169.254.169.254/latest/meta-data',
        'https://[::1]/push',
        'https://[::ffff:127.0.0.2]/push',
        `http://127.0.0.2:${port}/push`,
        'http://192.0.2.1/push',
        'https://user:word@127.0.0.1/push',
        `${pushService.origin}/push#there`,
        'ftp://127.0.0.1/push',
        'push',
      ];
      for (const endpoint of inside)
        expect([endpoint, await refusal(ann, { endpoint })]).toMatchObject([endpoint, { status: 400, fields: ['endpoint'] }]);
      const webhook = { name: uniqueName('Hook'), url: `http://127.0.0.2:${port}/push` };
      await root().result('createWebhookEndpoint', webhook);
    });

    test('A86: users cannot list, add or remove subscriptions of others', async () => {
      const [ann, eve] = [await createMember(root()), await createMember(root())];
      const { params } = pushService.subscribe();
      const { pushSubscriptionId } = await ann.caller.result('createPushSubscription', params);
      expect(await listed(eve)).toEqual([]);
      expect(await listed({ caller: root() })).toEqual([]);
      expect(errorOf(await eve.caller.submit('deletePushSubscription', { pushSubscriptionId }))).toMatchObject({ status: 403 });
      expect(await refusal(eve, { userId: ann.userId })).toMatchObject({ code: 'REQUEST_INVALID' });
      expect(await listed(ann)).toHaveLength(1);
      // The root quorum may: it could act as that user anyway.
      await root().result('deletePushSubscription', { pushSubscriptionId });
      expect(await listed(ann)).toEqual([]);
    });

    test('A86: a session cannot subscribe, because the subscription would outlive it', async () => {
      const ann = await createMember(root());
      const session = await login(ann.caller);
      expect(await refusal({ ...ann, caller: session }, {})).toMatchObject({ status: 403 });
      expect(await listed(ann)).toEqual([]);
    });

    test('A86: neither activities nor audit records show an endpoint or its secret', async () => {
      const ann = await createMember(root());
      const { params } = pushService.subscribe();
      const { activity } = (await ann.caller.submit('createPushSubscription', params)).body;
      const shown = [
        await root().data('getActivity', { activityId: activity.id }),
        await root().data('listActivities', {}),
        await root().data('listAuditRecords', {}),
      ];
      const text = JSON.stringify(shown);
      expect(text).toContain(activity.id);
      for (const secret of [params.endpoint, params.auth]) expect(text).not.toContain(secret);
      expect(subject().service.logText()).not.toContain(params.auth);
    });

    test('A88: a subscription ends with the credential that created it, and frees its slot', async () => {
      const ann = await createMember(root());
      const stolen = newApiKey();
      const { apiKeyIds } = await root().result('createApiKeys', { userId: ann.userId, apiKeys: [apiKeyParams(stolen)] });
      const thief = { caller: ann.caller.with({ key: stolen }) };
      for (let count = 0; count < MAX_PUSH_SUBSCRIPTIONS; count++)
        await thief.caller.result('createPushSubscription', pushService.subscribe().params);
      expect(await listed(ann)).toHaveLength(MAX_PUSH_SUBSCRIPTIONS);
      await ann.caller.result('deleteApiKeys', { userId: ann.userId, apiKeyIds });
      expect(await listed(ann)).toEqual([]);
      const { pushSubscriptionId } = await ann.caller.result('createPushSubscription', pushService.subscribe().params);
      const organization = await subject().service.services.organizations.snapshots.current(root().organizationId);
      const left = [...(organization?.records.pushSubscription ?? [])].filter(([, { userId }]) => userId === ann.userId);
      expect(left.map(([id]) => id)).toEqual([pushSubscriptionId]);
    });

    test('subscriptions are deleted with their user', async () => {
      const ann = await createMember(root());
      await ann.caller.result('createPushSubscription', pushService.subscribe().params);
      const held = async () => {
        const organization = await subject().service.services.organizations.snapshots.current(root().organizationId);
        return [...(organization?.records.pushSubscription.values() ?? [])].filter(({ userId }) => userId === ann.userId).length;
      };
      expect(await held()).toBe(1);
      await root().result('deleteUsers', { userIds: [ann.userId] });
      expect(await held()).toBe(0);
    });
  },
  { config },
);
