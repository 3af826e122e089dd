import { connect, type Socket } from 'node:net';
import { ed25519 } from '@noble/curves/ed25519.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createMember, createPrivateKey, errorOf, type Member, signParams, uniqueName, userParams } from '../../support/world.ts';
import { exportAudit, logKey, verifyText } from '../log/audit-support.ts';

const ed25519Key = () => ({
  apiKeyName: uniqueName('Key'),
  publicKey: Buffer.from(ed25519.keygen().publicKey).toString('hex'),
  curveType: 'API_KEY_CURVE_ED25519',
});
const brokenKey = (key: ReturnType<typeof ed25519Key>) => ({ ...key, publicKey: '00'.repeat(32) });
/** Users with as many keys as a request may hold. */
const manyKeys = {
  users: Array.from({ length: 90 }, () => ({ ...userParams(), apiKeys: Array.from({ length: 10 }, ed25519Key) })),
};

let installation: Installation;
let service: TestService;
let root: Caller;
let powerless: Member;

beforeAll(async () => {
  installation = await engines.sqlite();
  service = await startService(installation, {
    config: { failedStampsPerAddress: 5, loginsPerCredential: 3, maxKeptRefusals: 20, maxUnfinishedBodyBytes: 1_500_000 },
  });
  root = service.root;
  powerless = await createMember(root);
});
afterAll(async () => {
  await service?.close();
  await installation?.remove();
});

describe('D160: 900 keys from a user without rights', () => {
  test('are denied before any point is checked, in a submit and in a simulation', async () => {
    // Checking any of these keys fails.
    const noPoints = { users: manyKeys.users.map((user) => ({ ...user, apiKeys: user.apiKeys.map(brokenKey) })) };
    expect(errorOf(await root.submit('createUsers', noPoints))).toMatchObject({ status: 400, code: 'REQUEST_INVALID' });
    const answer = await powerless.caller.submit('createUsers', noPoints);
    expect(errorOf(answer)).toEqual({ status: 403, code: 'POLICY_DENIED' });
    const simulated = await powerless.caller.data('simulateActivity', {
      type: 'ACTIVITY_TYPE_CREATE_USERS_V3',
      parameters: noPoints,
    });
    expect(simulated.decision).toMatchObject({ outcome: 'DENY', by: 'IMPLICIT' });
  });

  test('the parameters are not parsed', async () => {
    const noUsers = { users: manyKeys.users.map(() => ({ userName: 'x'.repeat(100) })) };
    expect(errorOf(await root.submit('createUsers', noUsers))).toMatchObject({ status: 400, code: 'REQUEST_INVALID' });
    expect(errorOf(await powerless.caller.submit('createUsers', noUsers))).toEqual({ status: 403, code: 'POLICY_DENIED' });
    const imagined = { type: 'ACTIVITY_TYPE_CREATE_USERS_V3', parameters: noUsers };
    expect((await powerless.caller.data('simulateActivity', imagined)).decision).toMatchObject({ outcome: 'DENY' });
    expect(errorOf(await root.query('simulateActivity', imagined))).toMatchObject({ status: 400, code: 'REQUEST_INVALID' });
    const { policyId } = await root.result('createPolicy', {
      policyName: uniqueName('Policy'),
      effect: 'EFFECT_DENY',
      condition: "activity.params.users.any(u, u.user_name == 'x')",
      notes: '',
    });
    expect(errorOf(await powerless.caller.submit('createUsers', noUsers))).toEqual({ status: 403, code: 'POLICY_DENIED' });
    await root.result('deletePolicy', { policyId });
  });

  test('a user whom a policy may allow is authorized in full, and a root user creates the keys', async () => {
    const { userIds } = await root.result('createUsers', { users: manyKeys.users.slice(0, 40) });
    expect(userIds).toHaveLength(40);
    const { policyId } = await root.result('createPolicy', {
      policyName: uniqueName('Policy'),
      effect: 'EFFECT_ALLOW',
      condition: "activity.resource == 'USER' && activity.action == 'CREATE'",
      consensus: `approvers.any(user, user.id == '${powerless.userId}')`,
      notes: '',
    });
    const allowed = await powerless.caller.submit('createUsers', { users: manyKeys.users.slice(40, 50) });
    expect(allowed.status).toBe(200);
    await root.result('deletePolicy', { policyId });
  });
});

describe('D161: denied activities', () => {
  test('a long one is stored as a digest with its reason, shown by every query, and its audit file verifies', async () => {
    const body = powerless.caller.submitBody('createUsers', manyKeys);
    const send = () => powerless.caller.send(powerless.caller.submitPath('createUsers'), body);
    const { body: refusal } = await send();
    const { activityId } = refusal.details.find((detail: { activityId?: string }) => detail.activityId);
    const row = await service.services.store.activities.get(root.organizationId, activityId);
    expect(row?.body.length).toBeLessThan(3_000);
    for (const dialect of ['spec', 'turnkey'] as const) {
      const { activity } = await root.with({ dialect }).data('getActivity', { activityId });
      expect(activity).toMatchObject({ status: 'ACTIVITY_STATUS_FAILED', intent: {}, result: {} });
      expect(activity.votes[0]).toMatchObject({ userId: powerless.userId, message: '' });
      const { activities } = await root.with({ dialect }).data('listActivities', { filterByStatus: ['ACTIVITY_STATUS_FAILED'] });
      expect(activities.map(({ id }: { id: string }) => id)).toContain(activityId);
    }
    const { decisions } = await root.data('explainActivity', { activityId });
    expect(decisions[0]).toMatchObject({ outcome: 'DENY', by: 'IMPLICIT' });
    // The same body again gets the same answer, which names the same activity.
    expect((await send()).body).toEqual(refusal);
    const verdict = await verifyText(await exportAudit(root), await logKey(service.url));
    expect(verdict).toMatchObject({ ok: true });
  });

  test('D171: a backtest reports such an activity as not understood', async () => {
    const { body } = await powerless.caller.submit('createUsers', manyKeys);
    const { activityId } = body.details.find((detail: { activityId?: string }) => detail.activityId);
    const tried = await root.data('backtestPolicies', { range: { last: 5 } });
    expect(tried.unknown).toContainEqual(expect.objectContaining({ reason: 'NOT_UNDERSTOOD' }));
    const { unknown } = await root.data('listPastRequests', { activityIds: [activityId] });
    expect(unknown).toContainEqual(expect.objectContaining({ reason: 'NOT_UNDERSTOOD' }));
    const policy = { policyName: uniqueName('Policy'), effect: 'EFFECT_DENY', condition: 'false', notes: '', backtest: true };
    const { policyId } = await root.result('createPolicy', policy);
    await root.result('deletePolicy', { policyId });
  });

  test('a short one is stored with its body and the policy evaluations', async () => {
    const { body } = await powerless.caller.submit('createWallet', { walletName: uniqueName('Wallet'), accounts: [] });
    const { activityId } = body.details.find((detail: { activityId?: string }) => detail.activityId);
    const { activity } = await root.data('getActivity', { activityId });
    expect(activity.votes[0].message).toContain('walletName');
    expect(Object.keys(activity.intent)).toEqual(['createWalletIntent']);
  });

  test('denials of a user beyond the daily quota are not stored', async () => {
    const other = await createMember(root);
    const attempt = (member: Member) => member.caller.submit('createWallet', { walletName: uniqueName('Wallet'), accounts: [] });
    const answers = [];
    for (let sent = 0; sent < 25; sent++) answers.push(await attempt(other));
    expect(answers.map(errorOf)).toEqual(Array(25).fill({ status: 403, code: 'POLICY_DENIED' }));
    const kept = answers.filter(({ body }) => JSON.stringify(body.details).includes('activityId'));
    expect(kept).toHaveLength(20);
    const third = await createMember(root);
    expect(JSON.stringify((await attempt(third)).body.details)).toContain('activityId');
  });
});

describe('D162: bad stamps', () => {
  test('rejects unknown credentials of a throttled address, still serves known ones', async () => {
    const signWith = await createPrivateKey(root);
    const stranger = root.with({ key: newApiKey() });
    const answers = [];
    // Together, because a slow machine would give the address time to be heard again.
    for (let sent = 0; sent < 10; sent++)
      answers.push(...(await Promise.all(Array.from({ length: 16 }, () => stranger.query('whoami')))));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(10);
    expect(errorOf(refused[0] as never)).toEqual({ status: 429, code: 'RATE_LIMIT_EXCEEDED' });
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await root.submit('signRawPayload', signParams(signWith))).status).toBe(200);
    const compatible = await stranger.with({ dialect: 'turnkey' }).query('whoami');
    if (compatible.status === 429) expect(compatible.body.turnkeyErrorCode).toBe('RATE_LIMIT_EXCEEDED');
  });
});

describe('D164: sign-ins of one credential', () => {
  test('are rate limited, while others sign in and sign', async () => {
    const login = (caller: Caller) => caller.submit('stampLogin', { publicKey: newApiKey().publicKey, expirationSeconds: '60' });
    const [busy, other] = [await createMember(root), await createMember(root)];
    // The bad stamps of an earlier test may still count against this address, for callers who have not proved themselves.
    for (const { caller } of [busy, other]) await expect.poll(async () => (await caller.query('whoami')).status).toBe(200);
    const statuses = [];
    for (let sent = 0; sent < 60; sent++) statuses.push((await login(busy.caller)).status);
    expect(statuses).toContain(429);
    expect((await login(other.caller)).status).toBe(200);
  });
});

describe('D166: half-sent bodies', () => {
  test('hold a bounded number of bytes, and others are served', async () => {
    const { hostname, port } = new URL(service.url);
    const closed: Promise<void>[] = [];
    const sockets: Socket[] = [];
    const head = `POST ${root.queryPath('whoami')} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n`;
    for (let opened = 0; opened < 10; opened++) {
      const socket = connect(Number(port), hostname);
      sockets.push(socket);
      closed.push(new Promise((resolve) => socket.on('error', () => undefined).once('close', () => resolve())));
      socket.resume();
      socket.write(head + ' '.repeat(400_000));
    }
    // Only three fit. The first ones are given up.
    await Promise.all(closed.slice(0, 5));
    expect((await root.query('whoami')).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await Promise.all(closed);
  });
});
