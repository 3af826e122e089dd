import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { rpcTokenOf } from '@countersign/contract';
import { hashMessage, keccak256, recoverMessageAddress } from 'viem';
import { expect, test } from 'vitest';
import { derSignature } from '../../../packages/server/src/http/api/der-stamp.ts';
import { openRpcKeys, type RpcOperation } from '../../../packages/server/src/vault/keys/rpc-key.ts';
import { Secret } from '../../../packages/server/src/vault/keys/secret.ts';
import { newApiKey } from '../../support/api-key.ts';
import { type Json, post } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { startService } from '../../support/service.ts';
import { createMember, createSubOrganization, errorOf } from '../../support/world.ts';
import { call, createApiOnlyUser, createSigner, createToken, hashOf, newToken, rpc, send, transfer } from './support.ts';

/** Header keys with which the equal requests of two users have one time, and so one body. */
function equalPeriods(one: string, two: string): readonly [string, string] {
  const shift = (userId: string, key: string) =>
    createHash('sha256').update(`${userId}\n${key}`).digest().readUInt32BE(0) % (50 * 60 * 1000);
  const known = new Map(Array.from({ length: 5_000 }, (_, index) => [shift(one, `k${index}`), `k${index}`]));
  for (let index = 0; ; index++) {
    const own = known.get(shift(two, `k${index}`));
    if (own !== undefined) return [own, `k${index}`];
  }
}

const INVALID = { code: 4100, data: { errorCode: 'RPC_CREDENTIAL_INVALID' } };

test('D780: an RPC key signs bodies of its operations, and nothing that a caller writes', () => {
  const keys = openRpcKeys(new Secret(randomBytes(32)));
  const name = { organizationId: randomUUID(), presents: 'ab'.repeat(32) };
  for (const activity of ['approveActivity', 'createApiKeys', 'stampLogin', '__proto__']) {
    const operation = { activity, timestampMs: 1, parameters: {} } as unknown as RpcOperation;
    expect(() => keys.sign(name, operation)).toThrow('does not sign this operation');
  }
  const parameters = { type: 'ACTIVITY_TYPE_APPROVE_ACTIVITY', organizationId: randomUUID(), timestampMs: '9' };
  const { body } = keys.sign(name, { activity: 'signTransaction', timestampMs: 1, parameters });
  expect(JSON.parse(Buffer.from(body).toString())).toEqual({
    type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2',
    organizationId: name.organizationId,
    parameters,
    timestampMs: '1',
  });
  const asked = keys.sign(name, {
    query: 'getActivity',
    timestampMs: 1,
    parameters: { organizationId: randomUUID(), operation: 'x' },
  });
  expect(JSON.parse(Buffer.from(asked.body).toString())).toMatchObject({ organizationId: name.organizationId });
  expect(() => keys.sign({ ...name, presents: '../x' }, { activity: 'signTransaction', timestampMs: 1, parameters })).toThrow();
});

describeEngines(
  'attacks on the JSON-RPC endpoint',
  (subject) => {
    const root = () => subject().service.root;
    const url = () => subject().service.url;

    test('D781: a token acts for an API-only user, never for a person or a member of the root quorum', async () => {
      const { userId: rootUserId } = subject().service.first;
      const create = (userId: string) => {
        const identifier = hashOf(newToken(root()));
        const rpcKeys = [{ apiKeyName: 'Token', proof: 'RPC_PROOF_TOKEN', identifier, expirationSeconds: '60' }];
        return root().submit('createRpcKeys', { userId, rpcKeys });
      };
      expect(errorOf(await create(rootUserId))).toMatchObject({ code: 'PRECONDITION_FAILED', fields: ['userId'] });
      const signer = await createSigner(root());
      const asked = () => rpc(url(), signer, 'personal_sign', '0x02', signer.addresses[0]);
      expect(await asked()).toHaveProperty('result');
      await root().result('updateRootQuorum', { threshold: 1, userIds: [rootUserId, signer.userId] });
      expect((await asked()).error).toMatchObject({ code: 4100, data: { errorCode: 'POLICY_DENIED' } });
      expect((await rpc(url(), signer, 'eth_accounts')).error).toMatchObject({ code: 4100 });
      await root().result('updateRootQuorum', { threshold: 1, userIds: [rootUserId] });
      expect(await asked()).toHaveProperty('result');
    });

    test('D781: whoever may create API keys of a user may create its tokens, and nobody else', async () => {
      const { caller } = await createMember(root());
      const userId = await createApiOnlyUser(root());
      const params = (identifier: string) => ({
        userId,
        rpcKeys: [{ apiKeyName: 'Token', proof: 'RPC_PROOF_TOKEN', identifier, expirationSeconds: '60' }],
      });
      expect(errorOf(await caller.submit('createRpcKeys', params(hashOf('1'))))).toMatchObject({ code: 'POLICY_DENIED' });
      const taken = params(hashOf('2'));
      await root().result('createRpcKeys', taken);
      expect(errorOf(await root().submit('createRpcKeys', taken))).toMatchObject({ code: 'CREDENTIAL_TAKEN' });
    });

    test('D782: an unknown, foreign, expired or malformed token, and an unknown organization, have one response', async () => {
      const signer = await createSigner(root(), { expirationSeconds: '60' });
      const { organizationId } = await createSubOrganization(root());
      const guess = (id: string) => rpcTokenOf(id, randomBytes(32).toString('hex'));
      const attempts = [undefined, '', 'x', guess(root().organizationId), guess(organizationId), guess(randomUUID())];
      attempts.push(signer.token.slice(0, -1), `${signer.token}0`, signer.token.toUpperCase(), hashOf(signer.token));
      attempts.push(rpcTokenOf(organizationId, signer.token.slice(-64)));
      const answers = await Promise.all(attempts.map((token) => send(url(), signer.walletId, call('eth_accounts'), token)));
      subject().service.setAheadMs(61_000);
      answers.push(await send(url(), signer.walletId, call('eth_accounts'), signer.token));
      subject().service.setAheadMs(0);
      for (const { status, body } of answers) {
        expect(status).toBe(401);
        expect(body).toEqual({ jsonrpc: '2.0', id: null, error: (answers[0] as { body: { error: object } }).body.error });
        expect(body.error).toMatchObject(INVALID);
      }
      const elsewhere = await send(url(), `${organizationId}/${signer.walletId}`, call('eth_accounts'), signer.token);
      expect(elsewhere.status).toBe(401);
    });

    test('D783: concurrent copies of a request are one activity', async () => {
      const signer = await createSigner(root());
      const asked = transfer(signer.addresses[0] as string);
      const answers = await Promise.all(Array.from({ length: 8 }, () => rpc(url(), signer, 'eth_signTransaction', asked)));
      expect(new Set(answers.map(({ result }) => result)).size).toBe(1);
      const { activities } = await root().data('listActivities', { filterByType: ['ACTIVITY_TYPE_SIGN_TRANSACTION_V2'] });
      const own = activities.filter(({ votes }: { votes: { userId: string }[] }) => votes[0]?.userId === signer.userId);
      expect(own).toHaveLength(1);
    });

    test('D783: two users who ask for the same are two requesters, and no approval of each other', async () => {
      const signer = await createSigner(root());
      const userId = await createApiOnlyUser(root());
      const { token } = await createToken(root(), userId);
      const asked = call('personal_sign', '0x03', signer.addresses[0]);
      await send(url(), signer.walletId, asked, signer.token);
      expect((await send(url(), signer.walletId, asked, token)).body.error).toMatchObject({
        data: { errorCode: 'POLICY_DENIED' },
      });
    });

    test('D792: a token does not approve or read a request of another user, also with a header that makes their bodies equal', async () => {
      const two = (id: string) => `approvers.count() >= 2 && approvers.any(user, user.id == '${id}')`;
      const [one, pending] = [await createSigner(root()), await createSigner(root(), { consensus: two })];
      for (const [{ userId: owner, token, walletId, addresses }, own, code] of [
        [one, 'result', -32005],
        [pending, 'error', -32002],
      ] as const) {
        const userId = await createApiOnlyUser(root());
        const other = await createToken(root(), userId);
        const [ownKey, otherKey] = equalPeriods(owner, userId);
        const asked = call('personal_sign', '0x06', addresses[0]);
        const ask = async (by: string, key: string) => (await send(url(), walletId, asked, by, { 'idempotency-key': key })).body;
        const first = await ask(token, ownKey);
        expect(first).toHaveProperty(own);
        const { error } = await ask(other.token, otherKey);
        expect(error.code).toBe(code);
        // The request of the other user is a separate activity, with one vote.
        if (error.data.activityId !== undefined) expect(error.data.activityId).not.toBe(first.error.data.activityId);
        expect(await ask(token, ownKey)).toEqual(first);
      }
    });

    test('D792: an equal body that the key of another user stamps at the same time is no approval', async () => {
      const signer = await createSigner(root(), {
        consensus: (id) => `approvers.count() >= 2 && approvers.any(u, u.id == '${id}')`,
      });
      const { error } = await rpc(url(), signer, 'personal_sign', '0x07', signer.addresses[0]);
      const read = async () => (await root().data('getActivity', { activityId: error.data.activityId })).activity;
      const { parameters, timestampMs } = JSON.parse((await read()).votes[0].message);
      const { token, publicKey } = await createToken(root(), await createApiOnlyUser(root()));
      const { organizationId } = signer;
      const operation = { activity: 'signRawPayload', parameters, timestampMs: Number(timestampMs) } as const;
      const { vault } = subject().service.services;
      const { body, signature } = await vault.service.signRpc({ organizationId, presents: hashOf(token) }, operation);
      const stamp = `${publicKey}.${Buffer.from(derSignature(signature)).toString('hex')}`;
      const { status } = await post(`${url()}/public/v1/submit/sign_raw_payload`, Buffer.from(body), { 'x-stamp': stamp });
      expect(status).toBe(409);
      const { votes, status: after } = await read();
      expect([votes.length, after]).toEqual([1, 'ACTIVITY_STATUS_CONSENSUS_NEEDED']);
    });

    test('D793: a chain id in typed data has no more digits than an integer of 256 bits', async () => {
      const signer = await createSigner(root());
      const sign = async (chainId: string) => {
        const data = JSON.stringify({ domain: { chainId } });
        const asked = call('eth_signTypedData_v4', signer.addresses[0], data);
        return (await send(url(), `${signer.walletId}/1`, asked, signer.token)).body.error.message;
      };
      for (const digits of [`${'0'.repeat(78)}1`, `0x${'0'.repeat(64)}1`, '9'.repeat(500_000)])
        expect(await sign(digits)).toContain('another chainId');
      expect(await sign('1')).not.toContain('another chainId');
    });

    test('D794: a token learns nothing of the keys from an address that is not allowed, or while its user is frozen', async () => {
      const [signer, other] = [await createSigner(root()), await createSigner(root())];
      const probe = async (path: string, from: string) =>
        (await send(url(), path, call('personal_sign', '0x08', from), signer.token)).body.error;
      const probes = async () => {
        const found = [];
        for (const path of [signer.walletId, other.walletId, other.addresses[0] as string, randomUUID()])
          for (const from of [other.addresses[0] as string, `0x${'12'.repeat(20)}`]) found.push(await probe(path, from));
        return found;
      };
      await root().result('freeze', { userIds: [signer.userId], reason: 'test' });
      for (const error of await probes()) expect(error).toMatchObject({ code: 4100, data: { errorCode: 'FROZEN' } });
      await root().result('unfreeze', { userIds: [signer.userId] });
      const { apiKeys } = await root().data('getApiKeys', { userId: signer.userId });
      const rules = [{ cidr: '203.0.113.0/24' }];
      const { publicKey } = apiKeys[0].credential;
      await root().result('setIpAllowlist', { publicKey, rules, enabled: true, onEvaluationError: 'DENY' });
      for (const error of await probes()) expect(error).toMatchObject({ code: 4100, data: { errorCode: 'IP_NOT_ALLOWED' } });
    });

    test('D784: a page of a browser is refused, also one of the own origin, and reads nothing', async () => {
      const signer = await createSigner(root());
      const ask = (headers: Record<string, string>) => send(url(), signer.walletId, call('eth_accounts'), signer.token, headers);
      for (const headers of [
        { origin: 'https://evil.example' },
        { origin: url() },
        { origin: 'null' },
        { 'sec-fetch-site': 'same-origin' },
      ]) {
        const { status, body, headers: answered } = await ask(headers as Record<string, string>);
        expect([status, body.error.data.errorCode]).toEqual([403, 'BROWSER_NOT_ALLOWED']);
        expect(answered.get('access-control-allow-origin')).toBeNull();
      }
      for (const type of ['text/plain', 'application/x-www-form-urlencoded'])
        expect((await ask({ 'content-type': type })).status).toBe(415);
      const preflight = await fetch(`${url()}/rpc/${signer.walletId}`, {
        method: 'OPTIONS',
        headers: { origin: 'https://evil.example' },
      });
      expect(preflight.status).toBe(405);
      expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
    });

    test('D785: a request signs with keys of its path only', async () => {
      const [one, two] = [await createSigner(root()), await createSigner(root())];
      const foreign = two.addresses[0];
      // The policy of the first user does not name the second wallet either; the path is checked before it.
      expect((await rpc(url(), one, 'personal_sign', '0x04', foreign)).error).toMatchObject({ code: -32602 });
      const at = async (path: string, from = foreign) =>
        (await send(url(), path, call('personal_sign', '0x04', from), one.token)).body;
      expect((await at(two.walletId)).error).toMatchObject({ code: 4100 });
      expect((await at(foreign as string)).error).toMatchObject({ code: 4100 });
      expect((await at(one.addresses[0] as string, one.addresses[1])).error).toMatchObject({ code: -32602 });
      const { caller } = await createSubOrganization(root());
      const inside = await createSigner(caller);
      expect((await at(inside.walletId)).error).toMatchObject({ code: -32602, data: { errorCode: 'NOT_FOUND' } });
    });

    test('D786: a batch is short, and each of its calls counts against the rate', async () => {
      const signer = await createSigner(root());
      const batch = (count: number, at = url()) =>
        send(
          at,
          signer.walletId,
          Array.from({ length: count }, () => call('eth_accounts')),
          signer.token,
        );
      expect((await batch(17)).body.error).toMatchObject({ code: -32600 });
      expect((await batch(16)).body).toHaveLength(16);
      // A burst of five requests. The first call of a batch counts as its request.
      const limited = await startService(subject().installation, { config: { requestsPerAddress: 1 } });
      try {
        const body = await batch(16, limited.url).then((answer) => answer.body);
        const refused = body.filter(({ error }: Json) => error?.data?.errorCode === 'RATE_LIMIT_EXCEEDED');
        expect(refused.length).toBeGreaterThan(0);
        expect(body[0]).toHaveProperty('result');
      } finally {
        await limited.close();
      }
      const nested = await send(url(), signer.walletId, '['.repeat(40), signer.token);
      expect(nested.body.error).toMatchObject({ code: -32700 });
    });

    test('D787: no header stands for a client certificate, and without TLS there is none', async () => {
      const userId = await createApiOnlyUser(root());
      const { publicKey } = newApiKey();
      const rpcKeys = [
        { apiKeyName: 'Certificate', proof: 'RPC_PROOF_CERTIFICATE', identifier: publicKey, expirationSeconds: '60' },
      ];
      await root().result('createRpcKeys', { userId, rpcKeys });
      const path = `${root().organizationId}/${randomUUID()}`;
      for (const name of ['x-client-cert', 'x-forwarded-client-cert', 'ssl-client-cert', 'x-ssl-client-verify', 'client-cert']) {
        const { status, body } = await send(url(), path, call('eth_accounts'), undefined, { [name]: publicKey });
        expect([status, body.error.data.errorCode]).toEqual([401, 'RPC_CREDENTIAL_INVALID']);
      }
      expect((await send(url(), path, call('eth_accounts'), publicKey)).status).toBe(401);
    });

    test('D789: a token ends with its deletion, its user, a freeze and an IP allowlist that does not have the address', async () => {
      const signer = await createSigner(root());
      const asked = () => rpc(url(), signer, 'personal_sign', '0x05', signer.addresses[0]);
      const { result } = await asked();
      expect(result).toBeDefined();
      await root().result('freeze', { userIds: [signer.userId], reason: 'test' });
      expect((await asked()).error).toMatchObject({ code: 4100, data: { errorCode: 'FROZEN' } });
      await root().result('unfreeze', { userIds: [signer.userId] });
      expect((await asked()).result).toBe(result);
      const { apiKeys } = await root().data('getApiKeys', { userId: signer.userId });
      const { publicKey } = apiKeys[0].credential;
      await root().result('setIpAllowlist', {
        publicKey,
        rules: [{ cidr: '203.0.113.0/24' }],
        enabled: true,
        onEvaluationError: 'DENY',
      });
      expect((await asked()).error).toMatchObject({ code: 4100, data: { errorCode: 'IP_NOT_ALLOWED' } });
      await root().result('removeIpAllowlist', { publicKey });
      expect((await asked()).result).toBe(result);
      await root().result('deleteApiKeys', { userId: signer.userId, apiKeyIds: [signer.apiKeyId] });
      expect((await asked()).error).toMatchObject(INVALID);
    });

    test('D790: a message never has the signature of a transaction or of typed data', async () => {
      const signer = await createSigner(root());
      const [from = ''] = signer.addresses;
      // The bytes of a transaction, and of a digest of typed data, as a message: the prefix makes them others.
      for (const raw of ['0x02f86b0180843b9aca00', `0x1901${'11'.repeat(64)}`, `0x${'22'.repeat(32)}`] as const) {
        const { result } = await rpc(url(), signer, 'personal_sign', raw, from);
        expect(await recoverMessageAddress({ message: { raw }, signature: result })).toBe(from);
        expect(hashMessage({ raw })).not.toBe(keccak256(raw));
      }
      for (const [method, params] of [
        ['eth_sign', [from, `0x${'22'.repeat(32)}`]],
        ['eth_signTypedData_v4', [from, '0x1901']],
        ['eth_signTypedData_v4', [from, { primaryType: 'X' }]],
        ['personal_sign', [from, '0x00']],
        ['personal_sign', ['text', from]],
        ['eth_signTransaction', [`0x${'22'.repeat(32)}`]],
      ] as const) {
        const { error } = await rpc(url(), signer, method, ...params);
        expect([-32602, -32004]).toContain(error?.code);
      }
    });

    test('D791: a repeated request of an attacker on the network is the same activity', async () => {
      const signer = await createSigner(root());
      const body = JSON.stringify(call('eth_signTransaction', transfer(signer.addresses[0] as string)));
      const [first, replayed] = [
        await send(url(), signer.walletId, body, signer.token),
        await send(url(), signer.walletId, body, signer.token),
      ];
      expect(replayed.body).toEqual(first.body);
      const { activities } = await root().data('listActivities', { filterByType: ['ACTIVITY_TYPE_SIGN_TRANSACTION_V2'] });
      expect(activities.filter(({ votes }: { votes: { userId: string }[] }) => votes[0]?.userId === signer.userId)).toHaveLength(
        1,
      );
    });
  },
  { config: { rpcApprovalSeconds: 0 } },
);

describeEngines(
  'waiting for approvals',
  (subject) => {
    const root = () => subject().service.root;
    const url = () => subject().service.url;

    test('D788: a request waits for approvals, and those beyond the limit of a user do not wait', async () => {
      const { userId: rootUserId } = subject().service.first;
      const signer = await createSigner(root(), {
        consensus: (userId) => `approvers.any(user, user.id == '${userId}') && approvers.any(user, user.id == '${rootUserId}')`,
      });
      const ask = (index: number) =>
        rpc(url(), signer, 'personal_sign', `0x${index.toString(16).padStart(4, '0')}`, signer.addresses[0]);
      const waiting = Array.from({ length: 16 }, (_, index) => ask(index));
      const { longPoll } = subject().service.services.log;
      while (longPoll.size() < 16) await new Promise((resolve) => setTimeout(resolve, 50));
      const { error } = await ask(16);
      expect(error).toMatchObject({ code: -32002 });
      expect(longPoll.size()).toBe(16);
      const { activities } = await root().data('listActivities', {
        filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'],
        paginationOptions: { limit: '100' },
      });
      for (const { fingerprint } of activities) await root().submit('approveActivity', { fingerprint });
      for (const { result } of await Promise.all(waiting)) expect(result).toMatch(/^0x[0-9a-f]{130}$/);
      expect(longPoll.size()).toBe(0);
    });
  },
  { config: { rpcApprovalSeconds: 60 } },
  ['sqlite'],
);
