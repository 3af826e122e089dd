import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { shapeOf } from '../../support/shape-of.ts';
import { errorOf, madeUpId, uniqueName } from '../../support/world.ts';
import { createOrganization, createPolicy, policyParams } from './support.ts';

const dated = { createdAt: expect.anything(), updatedAt: expect.anything() };

describeEngines('policies', (subject) => {
  let root: Caller;
  let compatible: Caller;

  beforeAll(async () => {
    root = (await createOrganization(subject().service.root)).root;
    compatible = root.with({ dialect: 'turnkey' });
  });

  const shown = async (policyId: string, caller = root) => (await caller.data('getPolicy', { policyId })).policy;

  describe('on the path of the specification', () => {
    test('create_policy echoes the expressions and derives selectors from them', async () => {
      const condition = "activity.resource == 'PRIVATE_KEY' && eth.tx.value <= 5 && !(eth.tx.chain_id in [1, 5])";
      const consensus = "approvers.any(user, user.email == 'someone@example.com')";
      const params = { ...policyParams('ALLOW', { condition, consensus }), notes: 'Payments' };
      const answer = await root.submit('createPolicy', params);
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      expect(shapeOf(answer.body)).toEqual({
        activity: {
          id: 'string',
          status: 'string',
          type: 'string',
          organizationId: 'string',
          timestampMs: 'string',
          result: {
            activity: {
              type: 'string',
              intent: {
                createPolicyIntent: {
                  policyName: 'string',
                  selectors: [{ subject: 'string', operator: 'string', target: 'string' }],
                  effect: 'string',
                  condition: 'string',
                  consensus: 'string',
                  notes: 'string',
                },
              },
              result: { createPolicyResult: { policyId: 'string' } },
            },
          },
        },
      });
      const { intent, result } = answer.body.activity.result.activity;
      expect(intent.createPolicyIntent).toEqual({
        ...params,
        selectors: [
          { subject: 'activity.resource', operator: 'OPERATOR_EQUAL', target: 'PRIVATE_KEY' },
          { subject: 'eth.tx.value', operator: 'OPERATOR_LESS_THAN_OR_EQUAL', target: '5' },
          { subject: 'eth.tx.chain_id', operator: 'OPERATOR_NOT_IN', target: '1,5' },
          { subject: 'user.email', operator: 'OPERATOR_EQUAL', target: 'someone@example.com' },
        ],
      });
      expect(await shown(result.createPolicyResult.policyId)).toEqual({ policyId: expect.any(String), ...params, ...dated });
    });

    test('absent expressions are shown as empty, and are absent in the intent', async () => {
      const { notes: _, ...params } = policyParams('DENY');
      const answer = await root.submit('createPolicy', params);
      const { intent, result } = answer.body.activity.result.activity;
      expect(intent.createPolicyIntent).toEqual({ ...params, selectors: [], notes: '' });
      const policy = await shown(result.createPolicyResult.policyId);
      expect(policy).toMatchObject({ condition: '', consensus: '', notes: '' });
      await root.result('deletePolicy', { policyId: policy.policyId });
    });

    test('time and older versions are not accepted here', async () => {
      const timed = { ...policyParams('ALLOW'), time: "time.now < Timestamp('2099-01-01T00:00:00Z')" };
      expect(errorOf(await root.submit('createPolicy', timed))).toEqual({
        status: 400,
        code: 'REQUEST_INVALID',
        fields: ['time'],
      });
      const old = { policyName: uniqueName('Policy'), effect: 'EFFECT_ALLOW', selectors: [] };
      for (const type of ['ACTIVITY_TYPE_CREATE_POLICY', 'ACTIVITY_TYPE_CREATE_POLICY_V2']) {
        expect(errorOf(await root.submit('createPolicy', old, { type }))).toMatchObject({ status: 400, code: 'TYPE_MISMATCH' });
      }
      const policyId = await createPolicy(compatible, 'ALLOW', { condition: "activity.action == 'EXPORT'" });
      expect(Object.keys(await shown(policyId)).sort()).toEqual(
        ['condition', 'consensus', 'createdAt', 'effect', 'notes', 'policyId', 'policyName', 'updatedAt'].sort(),
      );
    });
  });

  describe('on the compatible path', () => {
    const selectors = [
      ['activity.action', 'OPERATOR_EQUAL', ['SIGN'], "activity.action == 'SIGN'"],
      ['activity.action', 'OPERATOR_NOT_EQUAL', ['SIGN'], "activity.action != 'SIGN'"],
      ['eth.tx.value', 'OPERATOR_MORE_THAN', ['1'], 'eth.tx.value > 1'],
      ['eth.tx.value', 'OPERATOR_MORE_THAN_OR_EQUAL', ['1'], 'eth.tx.value >= 1'],
      ['eth.tx.value', 'OPERATOR_LESS_THAN', ['9'], 'eth.tx.value < 9'],
      ['eth.tx.value', 'OPERATOR_LESS_THAN_OR_EQUAL', ['9'], 'eth.tx.value <= 9'],
      ['private_key.tags', 'OPERATOR_CONTAINS', ['a'], "private_key.tags.contains('a')"],
      [
        'private_key.tags',
        'OPERATOR_CONTAINS_ONE',
        ['a', 'b'],
        "(private_key.tags.contains('a') || private_key.tags.contains('b'))",
      ],
      [
        'private_key.tags',
        'OPERATOR_CONTAINS_ALL',
        ['a', 'b'],
        "(private_key.tags.contains('a') && private_key.tags.contains('b'))",
      ],
      ['eth.tx.chain_id', 'OPERATOR_IN', ['1', '5'], 'eth.tx.chain_id in [1, 5]'],
      ['eth.tx.chain_id', 'OPERATOR_NOT_IN', ['1', '5'], '!(eth.tx.chain_id in [1, 5])'],
    ] as const;

    test('all eleven selector operators become expressions, in both older versions', async () => {
      const { root: other } = await createOrganization(subject().service.root);
      const old = other.with({ dialect: 'turnkey' });
      for (const [path, operator, targets] of selectors) {
        const v2 = {
          policyName: uniqueName('Policy'),
          effect: 'EFFECT_ALLOW',
          selectors: [{ subject: path, operator, targets }],
        };
        const newer = await old.submit('createPolicy', v2, { type: 'ACTIVITY_TYPE_CREATE_POLICY_V2' });
        expect(newer.status, JSON.stringify(newer.body)).toBe(200);
        expect(newer.body.activity.intent).toEqual({ createPolicyIntentV2: v2 });
        const target = targets.join(',');
        const v1 = { ...v2, policyName: uniqueName('Policy'), selectors: [{ subject: path, operator, target }] };
        const older = await old.submit('createPolicy', v1, { type: 'ACTIVITY_TYPE_CREATE_POLICY' });
        expect(older.status, JSON.stringify(older.body)).toBe(200);
        expect(older.body.activity.intent).toEqual({ createPolicyIntent: v1 });
      }
      const conditions = (await other.data('listPolicies')).policies.map((policy: { condition: string }) => policy.condition);
      expect(conditions.sort()).toEqual(selectors.flatMap(([, , , condition]) => [condition, condition]).sort());
    });

    test('selectors on users become a consensus of one approver', async () => {
      const v2 = {
        policyName: uniqueName('Policy'),
        effect: 'EFFECT_DENY',
        notes: 'From selectors',
        selectors: [
          { subject: 'user.alias', operator: 'OPERATOR_EQUAL', targets: ['Somebody'] },
          { subject: 'activity.action', operator: 'OPERATOR_EQUAL', targets: ['EXPORT'] },
          { subject: 'user.tags', operator: 'OPERATOR_CONTAINS', targets: ['t'] },
        ],
      };
      const { policyId } = await compatible.result('createPolicy', v2, { type: 'ACTIVITY_TYPE_CREATE_POLICY_V2' });
      expect(await shown(policyId)).toMatchObject({
        condition: "activity.action == 'EXPORT'",
        consensus: "approvers.any(user, user.alias == 'Somebody' && user.tags.contains('t'))",
        notes: 'From selectors',
      });
    });

    test('an invalid selector is refused, and its position named', async () => {
      const send = (selector: object) =>
        compatible.submit(
          'createPolicy',
          {
            policyName: uniqueName('Policy'),
            effect: 'EFFECT_ALLOW',
            selectors: [{ subject: 'eth.tx.value', operator: 'OPERATOR_EQUAL', targets: ['1'] }, selector],
          },
          { type: 'ACTIVITY_TYPE_CREATE_POLICY_V2' },
        );
      for (const selector of [
        { subject: 'eth.tx.color', operator: 'OPERATOR_EQUAL', targets: ['red'] },
        { subject: 'eth.tx.value', operator: 'OPERATOR_EQUAL', targets: ['1e18'] },
        { subject: 'eth.tx.value', operator: 'OPERATOR_EQUAL', targets: ['1', '2'] },
        { subject: 'eth.tx.value', operator: 'OPERATOR_CONTAINS', targets: ['1'] },
      ]) {
        expect(errorOf(await send(selector)), JSON.stringify(selector)).toEqual({
          status: 400,
          code: 'REQUEST_INVALID',
          fields: ['selectors.1'],
        });
      }
      const unknown = await send({ subject: 'eth.tx.value', operator: 'OPERATOR_LIKE', targets: ['1'] });
      expect(errorOf(unknown)).toMatchObject({ status: 400, fields: ['selectors.1.operator'] });
    });

    test('time is stored, shown and removed again', async () => {
      const time = "time.now >= Timestamp('2026-01-01T00:00:00Z') && CronSpan('0 9 * * 1-5', '8h', 'Europe/Berlin')";
      const params = { ...policyParams('ALLOW', { condition: "activity.action == 'EXPORT'" }), time };
      const { policyId } = await compatible.result('createPolicy', params);
      expect((await shown(policyId, compatible)).time).toBe(time);
      await compatible.result('updatePolicy', { policyId, time: '' });
      expect((await shown(policyId, compatible)).time).toBe('');
      const bad = { ...policyParams('ALLOW'), time: "time.now >= Timestamp('2026-01-01T00:00:00+01:00')" };
      expect(errorOf(await compatible.submit('createPolicy', bad))).toMatchObject({ status: 400, fields: ['time'] });
    });

    test('update_policy answers in the form of the requested version', async () => {
      const policyId = await createPolicy(root, 'ALLOW', { condition: "activity.action == 'EXPORT'" });
      const v1 = { policyId, policyNotes: 'Older' };
      const older = await compatible.submit('updatePolicy', v1, { type: 'ACTIVITY_TYPE_UPDATE_POLICY' });
      expect(older.body.activity).toMatchObject({
        intent: { updatePolicyIntent: v1 },
        result: { updatePolicyResult: { policyId } },
      });
      const v2 = { policyId, policyNotes: 'Newer' };
      const newer = await compatible.submit('updatePolicy', v2);
      expect(newer.body.activity).toMatchObject({
        intent: { updatePolicyIntentV2: v2 },
        result: { updatePolicyResultV2: { policyId } },
      });
      expect((await shown(policyId)).notes).toBe('Newer');
    });
  });

  test('every expression of the reference is accepted', async () => {
    const url = new URL('../../../conformance/policy/reference.json', import.meta.url);
    const { cases } = JSON.parse(readFileSync(url, 'utf8')) as { cases: { condition?: string; consensus?: string }[] };
    const texts = new Map(cases.map(({ condition, consensus }) => [`${condition}/${consensus}`, { condition, consensus }]));
    const { root: other } = await createOrganization(subject().service.root);
    const policies = [...texts.values()].map((each) => ({ ...policyParams('DENY'), ...each }));
    expect(policies.length).toBeGreaterThanOrEqual(42);
    expect((await other.result('createPolicies', { policies })).policyIds).toHaveLength(policies.length);
  });

  test('fields that an update leaves out stay', async () => {
    const params = {
      ...policyParams('ALLOW', { condition: 'eth.tx.value < 1', consensus: 'approvers.count() > 1' }),
      notes: 'Old',
    };
    const { policyId } = await root.result('createPolicy', params);
    const before = await shown(policyId);
    const change = {
      policyId,
      policyName: uniqueName('Policy'),
      policyEffect: 'EFFECT_DENY',
      policyCondition: 'eth.tx.value < 2',
    };
    await root.result('updatePolicy', change);
    const after = await shown(policyId);
    expect(after).toMatchObject({
      policyName: change.policyName,
      effect: 'EFFECT_DENY',
      condition: 'eth.tx.value < 2',
      consensus: 'approvers.count() > 1',
      notes: 'Old',
      createdAt: before.createdAt,
    });
  });

  test('create_policies creates all of them, and lists show them', async () => {
    const { root: other } = await createOrganization(subject().service.root);
    const policies = [policyParams('ALLOW', { condition: 'eth.tx.value < 1' }), policyParams('DENY')];
    const { policyIds } = await other.result('createPolicies', { policies });
    const listed = (await other.data('listPolicies')).policies;
    expect(listed.map(({ policyId }: { policyId: string }) => policyId).sort()).toEqual([...policyIds].sort());
    const [first, second] = policyIds.map((id: string) => listed.find(({ policyId }: { policyId: string }) => policyId === id));
    expect(first).toMatchObject(policies[0] as object);
    expect(second).toMatchObject({ ...policies[1], condition: '', consensus: '' });
    await other.result('deletePolicy', { policyId: policyIds[0] });
    expect((await other.data('listPolicies')).policies).toHaveLength(1);
    expect((await other.query('getPolicy', { policyId: policyIds[0] })).status).toBe(404);
  });

  test("D57: another organization's policy gets the answer of a made-up id", async () => {
    const { root: other } = await createOrganization(subject().service.root);
    const foreign = await createPolicy(other, 'DENY', { condition: 'eth.tx.value < 1' });
    const answers = async (policyId: string) => [
      await root.query('getPolicy', { policyId }),
      await root.submit('updatePolicy', { policyId, policyNotes: 'x' }),
      await root.submit('deletePolicy', { policyId }),
    ];
    const expected = await answers(madeUpId());
    expect(expected.map(errorOf)).toEqual(Array(3).fill({ status: 404, code: 'NOT_FOUND', fields: ['policyId'] }));
    expect((await answers(foreign)).map(({ body }) => body)).toEqual(expected.map(({ body }) => body));
  });
});
