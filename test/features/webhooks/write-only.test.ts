import { queries } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { type Caller, resultOf } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, createSubOrganization, errorOf, uniqueName } from '../../support/world.ts';
import { createEndpoint, lastOf, nothingWaits, toLoopback } from './support.ts';
import { useReceivers } from './use-receivers.ts';

const TOKEN = 'tok3n-T00-B11-x9Qz';

/** Every response of every query that takes at most the id of an activity, by the name of the query. */
async function readEverything(caller: Caller, activityIds: readonly string[]): Promise<Map<string, string>> {
  const responses = new Map<string, string>();
  for (const dialect of ['spec', 'turnkey'] as const)
    for (const name of Object.keys(queries) as (keyof typeof queries)[])
      for (const fields of [
        {},
        { range: { last: 100 } },
        ...activityIds.flatMap((activityId) => [{ activityId }, { activityIds: [activityId] }]),
      ]) {
        const { status, body } = await caller.with({ dialect }).query(name, fields);
        if (status === 200) responses.set(name, `${responses.get(name) ?? ''}${JSON.stringify(body)}`);
      }
  return responses;
}

describeEngines(
  'tokens of webhook URLs',
  (subject) => {
    const receiver = useReceivers(() => subject().raw);

    describe('D332: a user without rights reads the token of a webhook URL', () => {
      test('in no response except audit records, and in no event; events still arrive at the whole URL', async () => {
        const { raw, service } = subject();
        const { caller: root } = await createSubOrganization(service.root);
        const hook = await receiver();
        const url = `${hook.url}/${TOKEN}?key=${TOKEN}`;
        const { caller: builder, userId } = await createMember(root);
        const { caller: powerless } = await createMember(root);
        await root.result('createPolicy', {
          policyName: 'Webhooks',
          effect: 'EFFECT_ALLOW',
          condition: "activity.params.url[0..16] == 'http://127.0.0.1'",
          consensus: `approvers.any(user, user.id == '${userId}')`,
          notes: '',
        });
        const made = await builder.submit('createWebhookEndpoint', { url, name: uniqueName('Hook') });
        const { endpointId, webhookEndpoint } = resultOf(made);
        const { origin } = new URL(hook.url);
        expect(webhookEndpoint.url).toBe(`${origin}/***`);
        await root.result('setOrganizationFeature', { name: 'FEATURE_NAME_WEBHOOK', value: url });
        const denied = await powerless.submit('createWebhookEndpoint', { url: `${url}2`, name: uniqueName('Hook') });
        expect(denied.status).toBe(403);
        const moved = await root.submit('updateWebhookEndpoint', { endpointId, url: `${url}&more` });
        await nothingWaits(raw);
        const activityIds = [made, moved].map(({ body }) => body.activity.id);
        const responses = await readEverything(powerless, activityIds);
        expect([...responses].filter(([, text]) => text.includes(TOKEN)).map(([name]) => name)).toEqual(['listAuditRecords']);
        for (const name of ['getOrganization', 'getOrganizationConfigs', 'listWebhookEndpoints', 'getActivity', 'listActivities'])
          expect(responses.get(name)).toContain(`${origin}/***`);
        expect(responses.get('explainActivity')).toContain(`${origin}/***`);
        expect(hook.deliveries.length).toBeGreaterThan(0);
        expect(JSON.stringify(hook.deliveries.map(({ activity }) => activity))).not.toContain(TOKEN);
        expect(lastOf(hook.deliveries).path).toContain(TOKEN);
        expect(service.logText()).not.toContain(TOKEN);
      });

      test('character by character with the policies of a backtest', async () => {
        const { caller: root } = await createSubOrganization(subject().service.root);
        const { caller: powerless } = await createMember(root);
        const url = `http://127.0.0.9:9/${TOKEN}`;
        await root.result('createPolicy', {
          policyName: 'Anything',
          effect: 'EFFECT_ALLOW',
          condition: 'true',
          consensus: 'true',
          notes: '',
        });
        const subscriptions = [{ eventType: 'ACTIVITY_UPDATES', isActive: false }];
        await powerless.result('createWebhookEndpoint', { url, name: 'Hook', subscriptions });
        await powerless.result('createWallet', { walletName: 'Wallet', accounts: [] });
        const guess = (text: string) => {
          const condition = `activity.params.url[19..24] == '${text}'`;
          const policies = { add: [{ policyName: 'Guess', effect: 'EFFECT_DENY', condition, notes: '' }] };
          return powerless.data('backtestPolicies', { range: { last: 2 }, policies });
        };
        const [right, wrong] = [await guess('tok3n'), await guess('wrong')];
        expect(right.flips).toEqual(wrong.flips);
        expect(right.unknown).toEqual([expect.objectContaining({ reason: 'NOT_UNDERSTOOD', count: 1 })]);
      });
    });

    test('the masked form is rejected, and an update without a URL keeps the stored one', async () => {
      const { caller: root } = await createSubOrganization(subject().service.root);
      const hook = await receiver();
      const endpointId = await createEndpoint(root, `${hook.url}/${TOKEN}`);
      const [{ url: masked }] = (await root.data('listWebhookEndpoints', {})).webhookEndpoints;
      const rejected = await root.submit('updateWebhookEndpoint', { endpointId, url: masked });
      expect(errorOf(rejected)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['url'] });
      expect(rejected.body.message).toContain('masked form');
      const feature = { name: 'FEATURE_NAME_WEBHOOK', value: masked };
      expect(errorOf(await root.submit('setOrganizationFeature', feature))).toMatchObject({ status: 400, fields: ['value'] });
      await root.result('updateWebhookEndpoint', { endpointId, name: 'Renamed' });
      await nothingWaits(subject().raw);
      expect(lastOf(hook.deliveries).path).toContain(TOKEN);
    });
  },
  toLoopback,
);
