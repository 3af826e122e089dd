import { maskUrl } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { egressAllowlistIn } from '../../../packages/server/test/notify/webhooks/names.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import { unroutedUrl } from '../../support/unrouted-url.ts';
import { createMember, createSubOrganization, errorOf, madeUpId, uniqueName } from '../../support/world.ts';
import { createEndpoint, endpointsOf, nothingWaits } from './support.ts';

const everything = [{ eventType: 'ACTIVITY_UPDATES', isActive: true }];
/** Nothing is sent: these tests are about the endpoints themselves. */
const silent = [{ eventType: 'ACTIVITY_UPDATES', isActive: false }];

/** An address in a network that the operator lists, without a receiver. */
const deadUrl = 'http://127.0.0.9:9/';

/** The names that these tests resolve, without using the network. */
const names = {
  'hooks.example.com': ['93.184.216.34'],
  'inside.example.com': ['10.0.0.1'],
  'counted.example.com': () => {
    lookups += 1;
    return [];
  },
};
let lookups = 0;

describeEngines(
  'webhook endpoints',
  (subject) => {
    const newOrganization = async () => (await createSubOrganization(subject().service.root)).caller;

    describe.each(['spec', 'turnkey'] as const)('in the dialect %s', (dialect) => {
      test('an endpoint is created, shown, changed and removed', async () => {
        const root = (await newOrganization()).with({ dialect });
        expect(await endpointsOf(root)).toEqual([]);
        const made = await root.result('createWebhookEndpoint', { url: unroutedUrl, name: 'Hook', subscriptions: silent });
        const { endpointId, webhookEndpoint } = made;
        const shown = {
          endpointId,
          organizationId: root.organizationId,
          url: maskUrl(unroutedUrl),
          name: 'Hook',
          isActive: true,
          subscriptions: silent,
        };
        expect(webhookEndpoint).toEqual(shown);
        expect(await endpointsOf(root)).toEqual([shown]);

        const changes = { url: 'https://hooks.example.com', name: 'Renamed', isActive: false };
        const changed = { ...shown, ...changes, url: 'https://hooks.example.com/' };
        const updated = await root.result('updateWebhookEndpoint', { endpointId, ...changes });
        expect(updated).toEqual({ endpointId, webhookEndpoint: changed });
        expect(await endpointsOf(root)).toEqual([changed]);

        expect(await root.result('deleteWebhookEndpoint', { endpointId })).toEqual({ endpointId });
        expect(await endpointsOf(root)).toEqual([]);
      });
    });

    test('an endpoint gets all activities by default; each field can be changed alone', async () => {
      const root = await newOrganization();
      const { endpointId, webhookEndpoint } = await root.result('createWebhookEndpoint', { url: deadUrl, name: 'Hook' });
      expect(webhookEndpoint.subscriptions).toEqual(everything);
      for (const change of [{ isActive: false }, { name: 'Other' }, { url: 'https://hooks.example.com/x' }])
        await root.result('updateWebhookEndpoint', { endpointId, ...change });
      expect(await endpointsOf(root)).toEqual([
        { ...webhookEndpoint, name: 'Other', url: 'https://hooks.example.com/***', isActive: false },
      ]);
      await root.result('deleteWebhookEndpoint', { endpointId });
      await nothingWaits(subject().raw);
    });

    test('an endpoint may be given its own name again, and a name is free once its endpoint is gone', async () => {
      const root = await newOrganization();
      const params = { url: unroutedUrl, name: 'Hook', subscriptions: silent };
      const { endpointId } = await root.result('createWebhookEndpoint', params);
      await root.result('updateWebhookEndpoint', { endpointId, name: 'Hook' });
      await root.result('deleteWebhookEndpoint', { endpointId });
      await root.result('createWebhookEndpoint', params);
      const elsewhere = await newOrganization();
      await elsewhere.result('createWebhookEndpoint', params);
    });

    describe('a request that needs approvals', () => {
      /** Two of an organization decide about webhooks. */
      async function askedByTwo() {
        const root = await newOrganization();
        const [{ caller, userId }, other] = [await createMember(root), await createMember(root)];
        await root.result('createPolicy', {
          policyName: 'Webhooks',
          effect: 'EFFECT_ALLOW',
          condition: "activity.resource != 'USER'",
          consensus: `approvers.any(user, user.id == '${userId}') && approvers.count() >= 2`,
          notes: '',
        });
        return { root, caller, callerId: userId, other: other.caller };
      }
      const pendingIn = async (root: Caller) =>
        (await root.data('listActivities', { filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'] })).activities;
      const endpoint = (url: string) => ({ url, name: uniqueName('Hook'), subscriptions: silent });

      test('D1122: is refused at once if the host has no address, or one in an internal network', async () => {
        const { root, caller, callerId } = await askedByTwo();
        const endpointId = await createEndpoint(root, unroutedUrl, endpoint(unroutedUrl));
        const { userId } = await root.data('whoami');
        await root.result('updateRootQuorum', { threshold: 2, userIds: [userId, callerId] });
        for (const url of ['https://nowhere.example.com/', 'https://inside.example.com/']) {
          const answers = [
            [await caller.submit('createWebhookEndpoint', endpoint(url)), 'url'],
            [await caller.submit('updateWebhookEndpoint', { endpointId, url }), 'url'],
            [await root.submit('setOrganizationFeature', { name: 'FEATURE_NAME_WEBHOOK', value: url }), 'value'],
          ] as const;
          for (const [answer, field] of answers)
            expect(errorOf(answer)).toMatchObject({ code: 'REQUEST_INVALID', fields: [field] });
        }
        expect(await pendingIn(root)).toEqual([]);
      });

      test('is pending with a host that has an address, and is executed once approved', async () => {
        const { root, caller, other } = await askedByTwo();
        const { body } = await caller.submit('createWebhookEndpoint', endpoint('https://hooks.example.com/'));
        expect(body.activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
        const [{ fingerprint }] = await pendingIn(root);
        await other.submit('approveActivity', { fingerprint });
        expect(await endpointsOf(root)).toHaveLength(1);
      });

      test('D1122: the name of a request that nothing allows is not looked up', async () => {
        const { caller } = await askedByTwo();
        const { caller: powerless } = await createMember(await newOrganization());
        const before = lookups;
        const denied = await powerless.submit('createWebhookEndpoint', endpoint('https://counted.example.com/'));
        expect(errorOf(denied)).toMatchObject({ code: 'POLICY_DENIED' });
        expect(lookups).toBe(before);
        await caller.submit('createWebhookEndpoint', endpoint('https://counted.example.com/'));
        expect(lookups).toBe(before + 1);
      });
    });

    describe('a refusal changes nothing', () => {
      const good = () => ({ url: unroutedUrl, name: uniqueName('Hook'), subscriptions: silent });

      test.each<[string, object, string, string]>([
        ['not a URL', { url: 'hooks' }, 'REQUEST_INVALID', 'url'],
        ['D60: plain http', { url: 'http://hooks.example.com/' }, 'REQUEST_INVALID', 'url'],
        ['D60: user info', { url: 'https://user@hooks.example.com/' }, 'REQUEST_INVALID', 'url'],
        ['D60: this machine', { url: 'https://127.0.0.1/' }, 'REQUEST_INVALID', 'url'],
        ['D60: this machine in another notation', { url: 'https://0x7f000001/' }, 'REQUEST_INVALID', 'url'],
        ['D60: a cloud’s metadata service', { url: 'https://169.254.169.254/' }, 'REQUEST_INVALID', 'url'],
        ['D60: a name of an internal address', { url: 'https://inside.example.com/' }, 'REQUEST_INVALID', 'url'],
        ['a name without an address', { url: 'https://nowhere.example.com/' }, 'REQUEST_INVALID', 'url'],
        ['a name that is too long', { name: 'x'.repeat(1000) }, 'REQUEST_INVALID', 'name'],
        ['no subscription', { subscriptions: [] }, 'REQUEST_INVALID', 'subscriptions'],
        [
          'a subscription to an unknown event type',
          { subscriptions: [{ eventType: 'WEATHER' }] },
          'REQUEST_INVALID',
          'subscriptions.0.eventType',
        ],
        ...['BALANCE_CONFIRMED_UPDATES', 'BALANCE_FINALIZED_UPDATES'].map((eventType): [string, object, string, string] => [
          `a subscription to ${eventType}, which this server does not have`,
          { subscriptions: [...silent, { eventType }] },
          'NOT_OFFERED',
          'subscriptions.1.eventType',
        ]),
        ...['{', '[]', '{"kinds":[]}', '{"types":["ACTIVITY_TYPE_MADE_UP"]}', '{"statuses":[]}'].map(
          (filtersJson): [string, object, string, string] => [
            `the filter ${filtersJson}`,
            { subscriptions: [{ eventType: 'ACTIVITY_UPDATES', filtersJson }] },
            'REQUEST_INVALID',
            'subscriptions.0.filtersJson',
          ],
        ),
      ])('create: %s', async (_what, change, code, field) => {
        const root = await newOrganization();
        const before = await countRows(subject().raw);
        const answer = await root.submit('createWebhookEndpoint', { ...good(), ...change });
        expect(errorOf(answer)).toMatchObject({ code, fields: [field] });
        expect(await countRows(subject().raw)).toEqual(before);
        expect(await endpointsOf(root)).toEqual([]);
      });

      test('create: a name in use, and more endpoints than the operator allows', async () => {
        const root = await newOrganization();
        const [first] = [await createEndpoint(root, unroutedUrl, good()), await createEndpoint(root, unroutedUrl, good())];
        const [{ name }] = await endpointsOf(root);
        const before = await countRows(subject().raw);
        expect(errorOf(await root.submit('createWebhookEndpoint', { ...good(), name }))).toMatchObject({
          code: 'NAME_TAKEN',
          fields: ['name'],
        });
        await createEndpoint(root, unroutedUrl, good());
        expect(errorOf(await root.submit('createWebhookEndpoint', good()))).toMatchObject({ code: 'LIMIT_EXCEEDED' });
        expect((await countRows(subject().raw)).records).toBe(before.records + 1);
        await root.result('deleteWebhookEndpoint', { endpointId: first });
        await createEndpoint(root, unroutedUrl, good());
      });

      test('update and delete: an unknown id, also one of a parent, a child or a sibling', async () => {
        const { root: parent } = subject().service;
        const [own, sibling] = [await newOrganization(), await newOrganization()];
        const owners = [own, sibling, parent];
        const [ownId, siblingId, parentId] = await Promise.all(owners.map((at) => createEndpoint(at, unroutedUrl, good())));
        const before = await Promise.all([countRows(subject().raw), ...owners.map(endpointsOf)]);
        const refused = { status: 404, code: 'NOT_FOUND', fields: ['endpointId'] };
        for (const [caller, endpointId] of [
          [own, siblingId],
          [own, parentId],
          [own, madeUpId()],
          [parent, ownId],
        ] as const) {
          expect(errorOf(await caller.submit('updateWebhookEndpoint', { endpointId, isActive: false }))).toEqual(refused);
          expect(errorOf(await caller.submit('deleteWebhookEndpoint', { endpointId }))).toEqual(refused);
        }
        expect(await Promise.all([countRows(subject().raw), ...owners.map(endpointsOf)])).toEqual(before);
        await parent.result('deleteWebhookEndpoint', { endpointId: parentId });
      });

      test.each<[string, object, string, string]>([
        ['nothing to change', {}, 'REQUEST_INVALID', 'endpointId'],
        ['D60: an address of this machine', { url: 'https://[::1]/' }, 'REQUEST_INVALID', 'url'],
        ['D60: a name of an internal address', { url: 'https://inside.example.com/' }, 'REQUEST_INVALID', 'url'],
        ['a name that is too long', { name: 'x'.repeat(1000) }, 'REQUEST_INVALID', 'name'],
        ['a name in use', { name: 'Taken' }, 'NAME_TAKEN', 'name'],
        ['subscriptions, which cannot be changed', { subscriptions: everything }, 'REQUEST_INVALID', 'subscriptions'],
      ])('update: %s', async (_what, change, code, field) => {
        const root = await newOrganization();
        await createEndpoint(root, unroutedUrl, { ...good(), name: 'Taken' });
        const endpointId = await createEndpoint(root, unroutedUrl, good());
        const before = [await countRows(subject().raw), await endpointsOf(root)];
        const answer = await root.submit('updateWebhookEndpoint', { endpointId, ...change });
        expect(errorOf(answer)).toMatchObject({ code, fields: [field] });
        expect([await countRows(subject().raw), await endpointsOf(root)]).toEqual(before);
      });

      test.each([
        'https://127.0.0.1/',
        'http://hooks.example.com/',
        'https://inside.example.com/',
        'https://u:p@[3ffe::25]/',
        '',
      ])('D60: FEATURE_NAME_WEBHOOK with %s', async (value) => {
        const root = await newOrganization();
        const before = await countRows(subject().raw);
        const answer = await root.submit('setOrganizationFeature', { name: 'FEATURE_NAME_WEBHOOK', value });
        expect(errorOf(answer)).toMatchObject({ code: 'REQUEST_INVALID', fields: ['value'] });
        expect(await countRows(subject().raw)).toEqual(before);
      });
    });
  },
  {
    config: { maxWebhookEndpoints: 3 },
    services: ({ notify }) => ({
      notify: { ...notify, webhooks: { ...notify.webhooks, egress: egressAllowlistIn(['127.0.0.9/32'], names) } },
    }),
  },
);
