import { beforeEach, expect, test } from 'vitest';
import type { Answer, Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import { errorOf } from '../../support/world.ts';
import { createOrganization, createPolicy, detailsOf, policyParams, userIs } from './support.ts';

const maxPolicies = 10;

const violationsOf = ({ body }: Answer) =>
  body.details.find((detail: Json) => detail.fieldViolations).fieldViolations as { field: string; description: string }[];

/** Expressions that must be refused, and the codes of their errors. */
const invalid: readonly [string, string, ...string[]][] = [
  ['a single equals sign', "activity.action = 'SIGN'", 'INVALID_OPERATOR'],
  ['double quotes', 'activity.action == "SIGN"', 'WRONG_QUOTES'],
  ['an unknown name', "activty.action == 'SIGN'", 'UNKNOWN_NAME'],
  ['an unknown field', "eth.tx.recipient == '0x00'", 'UNKNOWN_FIELD'],
  ['a number compared with a text', "eth.tx.value == 'one'", 'TYPE_MISMATCH'],
  ['not a boolean', 'eth.tx.value', 'NOT_BOOLEAN'],
  ['blank', ' ', 'EMPTY_EXPRESSION'],
  ['a literal that does not exist', "activity.action == 'BURN'", 'UNKNOWN_LITERAL'],
  ['a name that belongs in the consensus', 'approvers.count() > 1', 'WRONG_FIELD'],
  ['D43: an integer in exponent notation', 'eth.tx.value < 1e18', 'INVALID_INTEGER'],
  ['D43: an integer beyond 256 bits', `eth.tx.value < ${2n ** 256n}`, 'INTEGER_OUT_OF_RANGE'],
  ['D34: an address with a wrong checksum', "eth.tx.to == '0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed'", 'INVALID_ADDRESS'],
  ['D34: an address that is too short', "eth.tx.to == '0x5aaeb605'", 'INVALID_ADDRESS'],
  ['D48: nesting of a thousand', `${'('.repeat(1000)}true${')'.repeat(1000)}`, 'TOO_DEEP'],
  ['D48: forty thousand characters', `eth.tx.value in [${'1, '.repeat(13_000)}1]`, 'TEXT_TOO_LONG'],
  ['D48: a list of two thousand items', `eth.tx.value in [${'1, '.repeat(2000)}1]`, 'LIST_TOO_LONG'],
];

describeEngines(
  'refused policies',
  (subject) => {
    let root: Caller;

    beforeEach(async () => {
      root = (await createOrganization(subject().service.root)).root;
    });

    test('a refusal shows the expression that does not parse or check, and nothing is stored', async () => {
      const before = await countRows(subject().raw);
      for (const [what, condition, ...codes] of invalid) {
        const answer = await root.submit('createPolicy', policyParams('ALLOW', { condition }));
        expect(errorOf(answer), what).toMatchObject({ status: 400, code: 'POLICY_INVALID' });
        expect(answer.body.message, what).toMatch(/^invalid policy condition: /);
        const violations = violationsOf(answer);
        expect(violations.map(({ field }) => field)).toEqual(violations.map(() => 'condition'));
        const found = violations.map(({ description }) => /^error\[([A-Z_]+)\]: /.exec(description)?.[1]);
        expect(found, what).toEqual(expect.arrayContaining(codes));
        for (const { description } of violations) expect(description, what).toMatch(/\n *--> 1:\d+\n1 \| .*\n {2}\| …? *\^+/u);
      }
      expect(await countRows(subject().raw)).toEqual(before);
    });

    test('the refusal puts a caret under the error and says what to write instead', async () => {
      const answer = await root.submit('createPolicy', policyParams('ALLOW', { condition: "activity.action = 'SIGN'" }));
      expect(violationsOf(answer)[0]?.description).toBe(
        [
          'error[INVALID_OPERATOR]: `=` is not an operator of the language',
          ' --> 1:17',
          "1 | activity.action = 'SIGN'",
          '  |                 ^',
          '  = help: did you mean `==`?',
        ].join('\n'),
      );
      expect(answer.body.message).toContain('did you mean `==`?');
    });

    test('every expression of every policy is checked, and each wrong one is named', async () => {
      const policies = [
        policyParams('ALLOW', { condition: 'eth.tx.value < 1' }),
        { ...policyParams('DENY', { condition: 'eth.tx.value <', consensus: 'approvers.size() > 1' }), time: 'time.now' },
      ];
      const before = await countRows(subject().raw);
      const answer = await root.submit('createPolicies', { policies });
      expect(errorOf(answer)).toMatchObject({ status: 400, code: 'POLICY_INVALID' });
      expect(new Set(errorOf(answer).fields)).toEqual(
        new Set(['policies.1.condition', 'policies.1.consensus', 'policies.1.time']),
      );
      const policyId = await createPolicy(root, 'ALLOW', { condition: 'eth.tx.value < 1' });
      const update = await root.submit('updatePolicy', { policyId, policyConsensus: 'nobody' });
      expect(errorOf(update)).toMatchObject({ status: 400, code: 'POLICY_INVALID', fields: ['policyConsensus'] });
      const { activities, records } = await countRows(subject().raw);
      expect({ activities, records }).toEqual({ activities: before.activities + 1, records: before.records + 1 });
    });

    test('D48: a megabyte of expression costs little', async () => {
      const before = process.cpuUsage();
      const nested = (depth: number) => root.submit('createPolicy', policyParams('ALLOW', { condition: '('.repeat(depth) }));
      expect(errorOf(await nested(900_000))).toMatchObject({ status: 400, code: 'JSON_INVALID' });
      // Within what a body may hold, the schema answers, and names the field.
      expect(errorOf(await nested(12_000))).toMatchObject({ status: 400, fields: ['condition'] });
      // The service runs in this process.
      expect(process.cpuUsage(before).user).toBeLessThan(20_000_000);
    });

    test('names are unique, also within one request and after an update', async () => {
      const params = policyParams('ALLOW', { condition: 'eth.tx.value < 1' });
      await root.result('createPolicy', params);
      const taken = { status: 400, code: 'NAME_TAKEN' };
      expect(errorOf(await root.submit('createPolicy', params))).toEqual({ ...taken, fields: ['policyName'] });
      const twins = [policyParams('DENY'), policyParams('DENY')].map((each) => ({ ...each, policyName: 'Twin' }));
      const twice = await root.submit('createPolicies', { policies: twins });
      expect(errorOf(twice)).toEqual({ ...taken, fields: ['policies.1.policyName'] });
      const beside = await root.submit('createPolicies', { policies: [policyParams('DENY'), params] });
      expect(errorOf(beside)).toEqual({ ...taken, fields: ['policies.1.policyName'] });
      const policyId = await createPolicy(root, 'ALLOW', { condition: 'eth.tx.value < 2' });
      const renamed = await root.submit('updatePolicy', { policyId, policyName: params.policyName });
      expect(errorOf(renamed)).toEqual({ ...taken, fields: ['policyName'] });
      const own = (await root.data('getPolicy', { policyId })).policy.policyName;
      expect((await root.submit('updatePolicy', { policyId, policyName: own })).status).toBe(200);
    });

    test('the limit counts existing and new policies, and the answer names it', async () => {
      const many = (count: number) => ({
        policies: Array.from({ length: count }, () => policyParams('ALLOW', { condition: 'eth.tx.value < 1' })),
      });
      await root.result('createPolicies', many(maxPolicies - 1));
      const tooMany = await root.submit('createPolicies', many(2));
      expect(errorOf(tooMany)).toMatchObject({ status: 409, code: 'LIMIT_EXCEEDED' });
      expect(tooMany.body.message).toContain(`${maxPolicies} policies (maxPolicies)`);
      await root.result('createPolicies', many(1));
      expect(errorOf(await root.submit('createPolicy', policyParams('DENY')))).toMatchObject({ status: 409 });
      expect((await root.data('listPolicies')).policies).toHaveLength(maxPolicies);
    });

    test('static checks are warnings: the policy is created, and the activity carries them', async () => {
      const { root: owner, roots } = await createOrganization(subject().service.root, { roots: 2 });
      const warningsOf = async (effect: 'ALLOW' | 'DENY', expressions: { condition?: string; consensus?: string }) => {
        const answer = await owner.submit('createPolicy', policyParams(effect, expressions));
        expect(answer.status, JSON.stringify(answer.body)).toBe(200);
        const { warnings } = await detailsOf(owner, answer.body.activity.id);
        return ((warnings ?? []) as string[])
          .map((warning) => warning.split(':')[0])
          .filter((code) => code !== 'WORST_CASE' && code !== 'BACKTEST');
      };
      const one = userIs(roots[0] as (typeof roots)[0]);
      expect(await warningsOf('ALLOW', { condition: "activity.action == 'EXPORT'", consensus: one })).toEqual([]);
      expect(await warningsOf('ALLOW', { condition: "activity.action == 'SIGN'", consensus: one })).toEqual([]);
      expect(await warningsOf('ALLOW', { condition: 'eth.tx.value > 5 && eth.tx.value < 5' })).toContain('NEVER_MATCHES');
      expect(await warningsOf('ALLOW', { consensus: one })).toContain('ALLOWS_EVERYTHING');
      const to = `eth.tx.to == '0x${'11'.repeat(20)}'`;
      expect(await warningsOf('ALLOW', { condition: to })).toEqual(
        expect.arrayContaining(['RAW_SIGNING_SIDESTEP', 'CALL_NOT_CHECKED']),
      );
      expect(await warningsOf('ALLOW', { condition: 'eth.tx.value < 1', consensus: 'approvers.count() >= 3' })).toContain(
        'UNREACHABLE_CONSENSUS',
      );
      expect(await warningsOf('DENY', {})).toContain('LOCKS_OUT');
      const sending = { condition: "activity.type == 'ACTIVITY_TYPE_ETH_SEND_RAW_TRANSACTION'", consensus: one };
      expect(await warningsOf('ALLOW', sending)).toContain('NOT_OFFERED');
      const either = { condition: "activity.kind in ['SIGN_TRANSACTION', 'ETH_SEND_RAW_TRANSACTION']", consensus: one };
      expect(await warningsOf('ALLOW', either)).toContain('NOT_OFFERED');
      expect(await warningsOf('ALLOW', { condition: "activity.action == 'DELETE'" })).toContain('SHADOWED');
    });

    test('an empty consensus equals an absent one: same policy, same warnings', async () => {
      const { root: owner } = await createOrganization(subject().service.root, { roots: 2 });
      const made = async (consensus: { consensus?: string }) => {
        const { body } = await owner.submit('createPolicy', { ...policyParams('ALLOW'), ...consensus });
        const { warnings } = await detailsOf(owner, body.activity.id);
        const { activity } = body.activity.result;
        const { policyId } = activity.result.createPolicyResult;
        const { policyName: _, ...intent } = activity.intent.createPolicyIntent;
        const codes = (warnings as string[]).map((warning) => warning.split(':')[0]);
        await owner.result('deletePolicy', { policyId });
        return { intent, codes };
      };
      const absent = await made({});
      expect(absent.codes).toContain('ALLOWS_EVERYTHING');
      expect(await made({ consensus: '' })).toEqual(absent);
      const condition = "activity.action == 'EXPORT'";
      const { policyIds } = await owner.result('createPolicies', {
        policies: [{ ...policyParams('ALLOW', { condition }), consensus: '' }],
      });
      const [policyId] = policyIds;
      const consensusOf = async () => (await owner.data('getPolicy', { policyId })).policy.consensus;
      expect(await consensusOf()).toBe('');
      await owner.result('updatePolicy', { policyId, policyConsensus: '', policyNotes: 'as it was read' });
      await owner.result('updatePolicy', { policyId, policyConsensus: 'approvers.count() >= 2' });
      await owner.result('updatePolicy', { policyId, policyNotes: 'stays' });
      expect(await consensusOf()).toBe('approvers.count() >= 2');
      expect(errorOf(await owner.submit('updatePolicy', { policyId, policyConsensus: '' }))).toMatchObject({
        status: 400,
        fields: ['policyConsensus'],
      });
      expect(await consensusOf()).toBe('approvers.count() >= 2');
      expect(errorOf(await owner.submit('createPolicy', policyParams('ALLOW', { condition: ' ' })))).toMatchObject({
        code: 'POLICY_INVALID',
      });
      expect(errorOf(await owner.submit('createPolicy', policyParams('ALLOW', { consensus: ' ' })))).toMatchObject({
        code: 'POLICY_INVALID',
      });
    });

    test('an empty condition is an absent one, and an update does not remove a condition', async () => {
      const { root: owner } = await createOrganization(subject().service.root, { roots: 1 });
      const created = await owner.result('createPolicy', policyParams('DENY', { condition: '' }));
      const conditionOf = async (policyId: string) => (await owner.data('getPolicy', { policyId })).policy.condition;
      expect(await conditionOf(created.policyId)).toBe('');
      await owner.result('updatePolicy', { policyId: created.policyId, policyCondition: '', policyNotes: 'as it was read' });
      await owner.result('updatePolicy', { policyId: created.policyId, policyCondition: 'eth.tx.value > 1' });
      const removed = await owner.submit('updatePolicy', { policyId: created.policyId, policyCondition: '' });
      expect(errorOf(removed)).toMatchObject({ status: 400, fields: ['policyCondition'] });
      expect(await conditionOf(created.policyId)).toBe('eth.tx.value > 1');
    });

    test('an unknown activity type is an error', async () => {
      const { root: owner } = await createOrganization(subject().service.root, { roots: 1 });
      for (const condition of [
        "activity.type == 'ACTIVITY_TYPE_ETH_SEND_TRANSACTION_V9'",
        "activity.type == 'ETH_SEND_TRANSACTION'",
        "activity.kind == 'ACTIVITY_TYPE_ETH_SEND_TRANSACTION'",
      ])
        expect(errorOf(await owner.submit('createPolicy', policyParams('ALLOW', { condition })))).toMatchObject({
          code: 'POLICY_INVALID',
        });
    });

    test('D86, D87, D88: create_policy and update_policy warn of gaps in a policy', async () => {
      const { root: owner } = await createOrganization(subject().service.root);
      const warningsOf = async (answer: Awaited<ReturnType<typeof owner.submit>>) => {
        expect(answer.status, JSON.stringify(answer.body)).toBe(200);
        const { warnings } = await detailsOf(owner, answer.body.activity.id);
        return ((warnings ?? []) as string[])
          .map((warning) => warning.split(':')[0])
          .filter((code) => code !== 'WORST_CASE' && code !== 'BACKTEST');
      };
      const create = async (effect: 'ALLOW' | 'DENY', condition: string) =>
        warningsOf(await owner.submit('createPolicy', policyParams(effect, { condition })));
      const selector = "eth.tx.chain_id == 1 && eth.tx.function_signature == 'a9059cbb'";
      expect(await create('DENY', selector)).toEqual(expect.arrayContaining(['DEAD_COMPARISON', 'ROOT_NOT_BOUND']));
      expect(await create('DENY', "activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2'")).toContain('DENY_SIDESTEPPED');
      expect(await create('DENY', `eth.tx.to == '0x${'11'.repeat(20)}'`)).toContain('RECEIVER_NOT_CHECKED');
      expect(await create('ALLOW', 'eth.tx.value <= 1 ETH')).toContain('TRANSACTION_NOT_LIMITED');
      expect(await create('ALLOW', 'tx.max_fee <= 1 ETH')).toContain('UNIT_WITHOUT_ASSET');
      const cost = 'eth.tx.chain_id == 1 && tx.max_cost <= 1 ETH && tx.fully_parsed';
      expect(await create('ALLOW', cost)).toEqual(['TOKENS_NOT_LIMITED']);
      const payment = 'tx.is_payment && tx.payments.all(p, p.asset == ETH) && tx.max_cost <= 1 ETH';
      expect(await create('ALLOW', payment)).toEqual([]);
      expect(await create('ALLOW', "activity.kind == 'SIGN_RAW_PAYLOAD'")).toContain('RAW_SIGNING_SIDESTEP');

      const { policyId } = await owner.result('createPolicy', policyParams('DENY', { condition: 'eth.tx.value > 1 ETH' }));
      const changed = await owner.submit('updatePolicy', { policyId, policyCondition: selector });
      expect(await warningsOf(changed)).toContain('DEAD_COMPARISON');
    });
  },
  { config: { maxPolicies } },
);
