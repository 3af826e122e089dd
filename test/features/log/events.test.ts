import { type ActivityEvent, activityEvents } from '@countersign/client';
import { describe, expect, test } from 'vitest';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import type { TestService } from '../../support/service.ts';
import {
  createMember,
  createPrivateKey,
  createSubOrganization,
  errorOf,
  type Member,
  madeUpId,
  signParams,
} from '../../support/world.ts';
import { approve, createOrganization, policyParams, someOf, submitPending } from '../policies/support.ts';
import { eventIdOf, toLoopback } from '../webhooks/support.ts';
import { useReceivers } from '../webhooks/use-receivers.ts';

const SIGN = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2';
const denied = { status: 403, code: 'POLICY_DENIED' };

const list = (caller: Caller) => (range: object) => caller.data('listEvents', range);

async function allOf(events: AsyncIterable<ActivityEvent>): Promise<ActivityEvent[]> {
  const all: ActivityEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** The number that the next event of the organization gets. */
const nextNumber = async (caller: Caller) => Number((await caller.data('listLogEntries', {})).head.sequence) + 1;

/** Resolves when a request waits for the next event. */
async function waiting({ services }: TestService, count = 1) {
  while (services.log.longPoll.size() < count) await new Promise((resolve) => setTimeout(resolve, 10));
}

describeEngines(
  'the events of an organization',
  (subject) => {
    const top = () => subject().service.root;
    const receiver = useReceivers(() => subject().raw);

    test('come in commit order, with the ids that webhooks send, and with the activity as it is now', async () => {
      const hook = await receiver();
      const organization = await createOrganization(top(), { roots: 2, threshold: 2 });
      const [first, second] = organization.roots as [Member, Member];
      const created = await submitPending(first.caller, 'createWebhookEndpoint', { name: 'Hook', url: hook.url });
      await approve(second, created);
      const from = await nextNumber(first.caller);
      const pending = await submitPending(first.caller, 'createUserTag', { userTagName: 'Tag', userIds: [] });
      await approve(second, pending);
      const { events, next, isNewest } = await first.caller.data('listEvents', { from: String(from) });
      expect(events.map(({ sequence, activityId, status }: Json) => [sequence, activityId, status])).toEqual([
        [String(from), pending.id, 'ACTIVITY_STATUS_CONSENSUS_NEEDED'],
        [String(from + 1), pending.id, 'ACTIVITY_STATUS_COMPLETED'],
      ]);
      expect([next, isNewest]).toEqual([String(from + 2), true]);
      for (const { activity } of events) expect(activity).toMatchObject({ id: pending.id, status: 'ACTIVITY_STATUS_COMPLETED' });
      const told = (await hook.taken(3)).filter(({ activity }) => activity.id === pending.id);
      expect(events.map(({ eventId }: Json) => eventId)).toEqual(told.map(eventIdOf));
    });

    test('can be filtered, and read page by page without missing or repeating one', async () => {
      const { caller } = await createSubOrganization(top());
      const key = await createPrivateKey(caller);
      const signed: string[] = [];
      for (let count = 0; count < 5; count++)
        signed.push((await caller.submit('signRawPayload', signParams(key))).body.activity.id);
      const two = (range: object) => caller.data('listEvents', { ...range, limit: '2' });
      const only = { filterByType: [SIGN as never] };
      expect((await allOf(activityEvents(two, 1, only))).map(({ activityId }) => activityId)).toEqual(signed);
      expect((await allOf(activityEvents(two))).map(({ sequence }) => Number(sequence))).toEqual([1, 2, 3, 4, 5, 6]);
      const failed = { filterByStatus: ['ACTIVITY_STATUS_FAILED' as const] };
      expect(await allOf(activityEvents(list(caller), 1, failed))).toEqual([]);
      for (const bad of [{ from: '0' }, { limit: '101' }, { waitSeconds: '26' }])
        expect(errorOf(await caller.query('listEvents', bad))).toMatchObject({ status: 400, fields: Object.keys(bad) });
    });

    test('a request waits for the next one', async () => {
      const { caller } = await createSubOrganization(top());
      const key = await createPrivateKey(caller);
      const asked = caller.data('listEvents', { from: String(await nextNumber(caller)), waitSeconds: '25' });
      const { body } = await caller.submit('signRawPayload', signParams(key));
      expect((await asked).events.map(({ activityId }: Json) => activityId)).toEqual([body.activity.id]);
      const from = await nextNumber(caller);
      const empty = await caller.data('listEvents', { from: String(from), waitSeconds: '1' });
      expect(empty).toEqual({ events: [], next: String(from), isNewest: true });
    });

    describe('D533: events show what queries show', () => {
      test('to a restricted reader, a frozen user and a stranger', async () => {
        const { caller: root } = await createSubOrganization(top());
        const key = await createPrivateKey(root);
        const [reader, other, frozen] = [await createMember(root), await createMember(root), await createMember(root)];
        const { body } = await root.submit('signRawPayload', signParams(key, 'xyzzy-secret-word'));
        await root.result('setOrganizationFeature', { name: 'FEATURE_NAME_READ_POLICIES', value: '' });
        const condition = "activity.action == 'READ' && activity.resource == 'ACTIVITY'";
        await root.result('createPolicy', policyParams('ALLOW', { condition, consensus: someOf(1, [reader]) }));
        for (const resource of ['AUDIT_LOG', 'USER', 'POLICY']) {
          const more = `activity.action == 'READ' && activity.resource == '${resource}'`;
          await root.result('createPolicy', policyParams('ALLOW', { condition: more, consensus: someOf(1, [other]) }));
        }
        const shown = await reader.caller.data('listEvents', { filterByType: [SIGN] });
        expect(shown.events[0].activity).toEqual(
          (await reader.caller.data('getActivity', { activityId: body.activity.id })).activity,
        );
        expect(JSON.stringify(shown)).toContain('xyzzy');
        for (const waitSeconds of ['0', '1'])
          expect(errorOf(await other.caller.query('listEvents', { waitSeconds }))).toEqual(denied);
        await root.result('createPolicy', policyParams('ALLOW', { condition, consensus: someOf(1, [frozen]) }));
        expect((await frozen.caller.query('listEvents')).status).toBe(200);
        await root.result('freeze', { userIds: [frozen.userId], reason: 'stolen' });
        expect(errorOf(await frozen.caller.query('listEvents'))).toMatchObject({ code: 'FROZEN' });
        const stranger = (await createSubOrganization(top())).caller;
        const known = await stranger.with({ organizationId: root.organizationId }).query('listEvents');
        const unknown = await stranger.with({ organizationId: madeUpId() }).query('listEvents');
        expect([known.status, known.body]).toEqual([unknown.status, unknown.body]);
      });

      test('without one-time codes and tokens', async () => {
        const { caller: root } = await createSubOrganization(top());
        const { session } = await root.result('createReadOnlySession', {});
        expect(JSON.stringify(await root.data('listEvents'))).not.toContain(session);
      });
    });

    test.each([true, false])(
      'D534: after a wait, an activity is shown with the rights of that moment: right kept %s',
      async (isKept) => {
        const organization = await createOrganization(top(), { roots: 2, threshold: 2, members: 1 });
        const [first, second] = organization.roots as [Member, Member];
        const [reader] = organization.members as [Member];
        const both = async (name: Parameters<typeof submitPending>[1], params: object): Promise<Json> => {
          const pending = await submitPending(first.caller, name, params);
          await approve(second, pending);
          return Object.values((await first.caller.data('getActivity', { activityId: pending.id })).activity.result)[0];
        };
        const { policyId } = await both('createPolicy', policyParams('ALLOW', { condition: "activity.kind == 'EXPORT_WALLET'" }));
        await both('setOrganizationFeature', { name: 'FEATURE_NAME_READ_POLICIES', value: '' });
        const rights = [];
        for (const resource of ['ACTIVITY', 'POLICY']) {
          const condition = `activity.action == 'READ' && activity.resource == '${resource}'`;
          rights.push(await both('createPolicy', policyParams('ALLOW', { condition, consensus: someOf(1, [reader]) })));
        }
        const from = await nextNumber(first.caller);
        // The third step from now on is the change whose comparison shows the policy.
        const asked = reader.caller.data('listEvents', { from: String(from + 2), waitSeconds: '25' });
        await waiting(subject().service);
        if (isKept) await both('updatePolicy', { policyId, policyNotes: 'noted' });
        else await both('deletePolicy', { policyId: rights[1]?.policyId });
        const change = { policyId, policyCondition: "activity.kind == 'EXPORT_PRIVATE_KEY'" };
        const pending = await submitPending(first.caller, 'updatePolicy', change);
        const { events } = await asked;
        expect(events).toMatchObject([{ activityId: pending.id, status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' }]);
        const texts = JSON.stringify(events[0].activity.comparison);
        if (isKept) expect(texts).toContain('EXPORT_WALLET');
        else expect(events[0].activity.comparison).toEqual({ changes: [], withheld: true });
      },
    );

    test('D535: a user who waits on many connections leaves room for colleagues', async () => {
      const { caller: root } = await createSubOrganization(top());
      const [greedy, colleague] = [await createMember(root), await createMember(root)];
      const key = await createPrivateKey(root);
      const range = { from: String(await nextNumber(root)), waitSeconds: '25' };
      const waits = Array.from({ length: 16 }, () => greedy.caller.query('listEvents', range));
      await waiting(subject().service, 16);
      const tooMany = await greedy.caller.query('listEvents', range);
      expect(errorOf(tooMany)).toMatchObject({ status: 429, code: 'RATE_LIMIT_EXCEEDED' });
      const also = colleague.caller.query('listEvents', range);
      await waiting(subject().service, 17);
      await root.submit('signRawPayload', signParams(key));
      for (const answer of await Promise.all([...waits, also])) expect(answer.status).toBe(200);
      expect((await greedy.caller.query('listEvents', { ...range, waitSeconds: '1' })).status).toBe(200);
    });

    test('changes by the service itself have numbers and are left out', async () => {
      const { caller } = await createSubOrganization(top());
      const from = await nextNumber(caller);
      const { changeAsSystem } = await import('../../../packages/server/src/pipeline/commit/system-change.ts');
      const { services } = subject().service;
      await changeAsSystem(services, caller.organizationId, ({ records }) => {
        const [[id, body] = []] = [...records.apiKey];
        return id === undefined || body === undefined ? [] : [{ op: 'putRecord', kind: 'apiKey', id, body }];
      });
      await createPrivateKey(caller);
      const { events, next } = await caller.data('listEvents', { from: String(from) });
      expect(events.map(({ sequence }: Json) => sequence)).toEqual([String(from + 1)]);
      expect(next).toBe(String(from + 2));
    });
  },
  toLoopback,
);
