import { beforeEach, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Answer, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import {
  apiKeyParams,
  createPrivateKey,
  errorOf,
  type Member,
  madeUpId,
  privateKeyParams,
  signParams,
} from '../../support/world.ts';
import { createOrganization, createPolicy, type Organization, outcomeOf, policyParams, someOf, userIs } from './support.ts';
import { ethereumTransaction } from './transactions.ts';

const receiver = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const signRaw = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2';

let signatures = 0;

describeEngines(
  'simulate_activity',
  (subject) => {
    let organization: Organization;
    let root: Organization['root'];
    let a: Member;
    let b: Member;
    let c: Member;
    let key: string;

    beforeEach(async () => {
      organization = await createOrganization(subject().service.root, { members: 3 });
      root = organization.root;
      [a, b, c] = organization.members as [Member, Member, Member];
      key = await createPrivateKey(root, 'CURVE_SECP256K1', ['ADDRESS_FORMAT_ETHEREUM']);
    });

    const simulate = (member: Pick<Member, 'caller'>, fields: object): Promise<Answer> =>
      member.caller.query('simulateActivity', fields);

    async function decisionOf(member: Pick<Member, 'caller'>, fields: object): Promise<Json> {
      return (await member.caller.data('simulateActivity', fields)).decision;
    }

    test('stores nothing, signs nothing, and shows who could still approve', async () => {
      const consensus = someOf(2, organization.members);
      const policyId = await createPolicy(root, 'ALLOW', { condition: "activity.action == 'SIGN'", consensus });
      const fields = { type: signRaw, parameters: signParams(key) };
      const [rows, signed] = [await countRows(subject().raw), signatures];
      const waiting = await decisionOf(a, { ...fields, explain: true });
      expect(waiting).toMatchObject({ outcome: 'NEEDS_CONSENSUS', mayApprove: [b, c].map(({ userId }) => userId).sort() });
      expect(waiting.explanation.policies).toMatchObject([{ policyId, outcome: 'OUTCOME_REQUIRES_CONSENSUS' }]);
      expect(waiting.text).toContain('one more approval for policy');
      const approverIds = [a.userId, c.userId];
      expect(await decisionOf(a, { ...fields, approverIds })).toMatchObject({
        outcome: 'ALLOW',
        by: 'POLICY',
        policyIds: [policyId],
      });
      expect(await decisionOf(a, { ...fields, approverIds: [a.userId, a.userId] })).toMatchObject({ outcome: 'NEEDS_CONSENSUS' });
      expect(await decisionOf({ caller: root }, fields)).toMatchObject({ outcome: 'ALLOW', by: 'ROOT_QUORUM' });
      expect(await countRows(subject().raw)).toEqual(rows);
      expect(signatures).toBe(signed);
      expect(outcomeOf(await root.submit('signRawPayload', signParams(key)))).toBe('200 COMPLETED');
      expect(signatures).toBe(signed + 1);
    });

    test('predicts the result of a submit', async () => {
      await createPolicy(root, 'ALLOW', { condition: `eth.tx.to == '${receiver}'`, consensus: userIs(a) });
      await createPolicy(root, 'DENY', { condition: 'eth.tx.value > 10' });
      const cases: [Member, string, bigint][] = [
        [a, receiver, 1n],
        [a, receiver, 11n],
        [a, `0x${'99'.repeat(20)}`, 1n],
        [b, receiver, 1n],
      ];
      const seen = new Set<string>();
      for (const [member, to, value] of cases) {
        const parameters = {
          signWith: key,
          unsignedTransaction: ethereumTransaction({ to, value }),
          type: 'TRANSACTION_TYPE_ETHEREUM',
        };
        const { decision, description } = await member.caller.data('simulateActivity', {
          type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2',
          parameters,
        });
        const answer = await member.caller.submit('signTransaction', parameters);
        expect(answer.status).toBe(decision.outcome === 'ALLOW' ? 200 : 403);
        expect(description.toLowerCase()).toContain(to.toLowerCase());
        seen.add(`${decision.outcome} ${decision.by}`);
      }
      expect([...seen].sort()).toEqual(['ALLOW POLICY', 'DENY IMPLICIT', 'DENY POLICY']);
    });

    test('many approvers do not make a short activity a long one: what it would do is told where nothing allows it', async () => {
      const unsignedTransaction = ethereumTransaction({ to: receiver, value: 1n });
      const parameters = { signWith: key, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' };
      const fields = { type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2', parameters };
      const approverIds = Array.from({ length: 100 }, () => a.userId);
      const simulated = await a.caller.data('simulateActivity', { ...fields, approverIds });
      expect(simulated.decision).toMatchObject({ outcome: 'DENY', by: 'IMPLICIT' });
      expect(simulated.description?.toLowerCase()).toContain(receiver.toLowerCase());
    });

    test('explains only on request', async () => {
      await createPolicy(root, 'ALLOW', { condition: "activity.action == 'SIGN'" });
      const fields = { type: signRaw, parameters: signParams(key) };
      const plain = await decisionOf(a, fields);
      expect(plain).toEqual({ ...plain, outcome: 'ALLOW', by: 'POLICY', text: 'ALLOW (by policy)' });
      expect(plain).not.toHaveProperty('explanation');
      const { explanation, text } = await decisionOf(a, { ...fields, explain: true });
      expect(explanation.policies).toHaveLength(1);
      expect(text).toContain("activity.action == 'SIGN' → true");
    });

    test('D352: a user without rights cannot have a long activity planned in the name of others', async () => {
      // The plan rejects so many keys.
      const keys = Array.from({ length: 60 }, () => apiKeyParams(newApiKey()));
      const users = [{ userName: 'New', apiKeys: keys, authenticators: [], oauthProviders: [], userTags: [] }];
      const fields = { type: 'ACTIVITY_TYPE_CREATE_USERS_V3', parameters: { users } };
      const [{ userId: rootId }] = organization.roots as [Member];
      for (const approverIds of [[rootId], [a.userId, rootId], [rootId, a.userId]]) {
        const answer = await simulate(a, { ...fields, approverIds });
        expect(errorOf(answer)).toEqual({ status: 403, code: 'POLICY_DENIED' });
        expect(answer.body.message).toContain('only in requests of at most 4096 bytes');
      }
      expect(await decisionOf(a, fields)).toMatchObject({ outcome: 'DENY', by: 'IMPLICIT' });
      // Users who may create users can simulate it for others, and short activities can be simulated by every user.
      const planned = { status: 409, code: 'LIMIT_EXCEEDED' };
      expect(errorOf(await simulate({ caller: root }, { ...fields, approverIds: [b.userId, rootId] }))).toMatchObject(planned);
      await createPolicy(root, 'ALLOW', { condition: "activity.resource == 'USER'", consensus: userIs(b) });
      expect(errorOf(await simulate(b, { ...fields, approverIds: [rootId] }))).toMatchObject(planned);
      const short = { type: signRaw, parameters: signParams(key), approverIds: [rootId] };
      expect(await decisionOf(a, short)).toMatchObject({ outcome: 'ALLOW', by: 'ROOT_QUORUM' });
    });

    test('a policy change can be simulated before it is made', async () => {
      const before = await countRows(subject().raw);
      const parameters = policyParams('ALLOW', { condition: 'eth.tx.value <' });
      const invalid = await simulate({ caller: root }, { type: 'ACTIVITY_TYPE_CREATE_POLICY_V3', parameters });
      expect(errorOf(invalid)).toMatchObject({ status: 400, code: 'POLICY_INVALID', fields: ['condition'] });
      const valid = { type: 'ACTIVITY_TYPE_CREATE_POLICY_V3', parameters: policyParams('ALLOW') };
      expect(await decisionOf({ caller: root }, valid)).toMatchObject({ outcome: 'ALLOW' });
      expect(await decisionOf(a, valid)).toMatchObject({ outcome: 'DENY', by: 'IMPLICIT' });
      expect(await countRows(subject().raw)).toEqual(before);
    });

    test('older versions can be simulated, votes cannot', async () => {
      const parameters = {
        privateKeyId: key,
        payload: 'x',
        encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
        hashFunction: 'HASH_FUNCTION_SHA256',
      };
      expect(await decisionOf({ caller: root }, { type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD', parameters })).toMatchObject({
        outcome: 'ALLOW',
      });
      for (const type of ['ACTIVITY_TYPE_APPROVE_ACTIVITY', 'ACTIVITY_TYPE_NO_SUCH', '__proto__']) {
        const answer = await simulate(a, { type, parameters: { fingerprint: `sha256:${'0'.repeat(64)}` } });
        expect(errorOf(answer), type).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['type'] });
      }
    });

    test('refuses what a submit would refuse', async () => {
      const fields = { type: signRaw, parameters: signParams(key) };
      expect(errorOf(await simulate(a, { ...fields, parameters: { ...fields.parameters, extra: 1 } }))).toMatchObject({
        status: 400,
        fields: ['extra'],
      });
      expect(errorOf(await simulate(a, { ...fields, parameters: signParams(madeUpId()) }))).toMatchObject({
        code: 'SIGN_WITH_NOT_FOUND',
      });
      const strangers = { ...fields, approverIds: [a.userId, madeUpId()] };
      expect(errorOf(await simulate(a, strangers))).toEqual({ status: 404, code: 'NOT_FOUND', fields: ['approverIds.1'] });
      expect(errorOf(await simulate(a, { ...fields, approverIds: [] }))).toMatchObject({ status: 400, fields: ['approverIds'] });
    });

    test('assumes that a user approves with a credential that is valid', async () => {
      const brief = newApiKey();
      const lasting = newApiKey();
      const { userIds } = await root.result('createUsers', {
        users: [
          {
            userName: 'Two keys',
            apiKeys: [apiKeyParams(brief, { expirationSeconds: '60' }), apiKeyParams(lasting)],
            authenticators: [],
            oauthProviders: [],
            userTags: [],
          },
        ],
      });
      const member = { userId: userIds[0] as string, caller: root };
      await createPolicy(root, 'ALLOW', { condition: "activity.action == 'CREATE'", consensus: userIs(member) });
      const parameters = { privateKeys: [privateKeyParams('CURVE_P256')] };
      const fields = { type: 'ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2', parameters, approverIds: userIds };
      subject().service.setAheadMs(120_000);
      try {
        expect(await decisionOf(a, fields)).toMatchObject({ outcome: 'ALLOW', by: 'POLICY' });
      } finally {
        subject().service.setAheadMs(0);
      }
    });
  },
  {
    services: ({ vault }) => ({
      vault: {
        ...vault,
        keys: {
          ...vault.keys,
          sign(...args) {
            signatures += 1;
            return vault.keys.sign(...args);
          },
        },
      },
    }),
  },
);
