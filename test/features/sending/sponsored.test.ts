import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkSponsors } from '../../../packages/server/src/commands/doctor/check-sponsors.ts';
import type { GasSponsor } from '../../../packages/server/src/config/gas-sponsors.ts';
import { type Anvil, missingAnvil, startAnvil, withAnvil } from '../../support/anvil.ts';
import { type Engine, engines, type Installation, preparedEngines } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createMember, createSubOrganization, errorOf, madeUpId, uniqueName } from '../../support/world.ts';
import { createToken } from '../json-rpc/support.ts';
import { balanceOf, countOf, createSponsor, emptyAccount, FEE, MAX_WEI, paySponsored, sponsored } from './sponsored-support.ts';
import { confirm, noncesOf, reach, sendingConfig, statusOf } from './support.ts';

describe.skipIf(missingAnvil !== undefined).each(Object.keys(engines) as Engine[])(withAnvil('sponsored gas on %s'), (engine) => {
  let anvil: Anvil;
  let installation: Installation;
  let service: TestService;
  /** What the operator configured. */
  const gasSponsors: GasSponsor[] = [];
  const config = () => ({ ...sendingConfig([anvil.url]), gasSponsors });

  beforeAll(async () => {
    anvil = await startAnvil();
    installation = await preparedEngines[engine]();
    service = await startService(installation, { config: config() });
  });
  beforeEach(() => {
    gasSponsors.length = 0;
  });
  afterAll(async () => {
    await service?.close();
    await installation?.remove();
    await anvil?.stop();
  });

  test('an account without ether sends, and its organization’s sponsor pays exactly what it lacks', async () => {
    const { root } = service;
    const { sponsor, address } = await createSponsor(root, anvil);
    gasSponsors.push(sponsor);
    const { caller } = await createSubOrganization(root);
    const from = await emptyAccount(caller);
    const id = await paySponsored(caller, from);
    const done = await confirm(caller, anvil, id);
    expect(done.transaction.topUp).toEqual({ organizationId: root.organizationId, amount: `${FEE}`, isPaid: true });
    expect([await countOf(anvil, address), await countOf(anvil, from)]).toEqual([1, 1]);
    // What the account did not use for the fee is used before the sponsor pays again.
    const left = await balanceOf(anvil, from);
    expect(left > 0n && left < FEE).toBe(true);
    const second = await paySponsored(caller, from);
    const { transaction } = await confirm(caller, anvil, second);
    expect(transaction.topUp.amount).toBe(`${FEE - left}`);
    expect(await countOf(anvil, address)).toBe(2);
  });

  test('an account that holds the fee gets nothing, and one that does not hold the amount sends nothing', async () => {
    const { root } = service;
    const { sponsor, address } = await createSponsor(root, anvil);
    gasSponsors.push(sponsor);
    const from = await emptyAccount(root);
    const refused = await root.submit('ethSendTransaction', sponsored(from, { value: '5' }));
    expect(errorOf(refused).code).toBe('PRECONDITION_FAILED');
    expect(refused.body.message).toContain('the account must hold the amount itself');
    await anvil.fund(from, 1);
    const { transaction } = await confirm(root, anvil, await paySponsored(root, from));
    expect(transaction.topUp).toBeUndefined();
    expect(await countOf(anvil, address)).toBe(0);
  });

  test('a transaction waits until approvers of the sponsor’s organization allow the top-up', async () => {
    const { root } = service;
    const consensus = (id: string) => `approvers.any(u, u.id == '${id}') && approvers.count() >= 2`;
    const { sponsor } = await createSponsor(root, anvil, { consensus });
    gasSponsors.push(sponsor);
    const from = await emptyAccount(root);
    const id = await paySponsored(root, from);
    await expect.poll(async () => (await statusOf(root, id)).transaction.lastError).toContain('needs approvals');
    expect((await statusOf(root, id)).txStatus).toBe('INITIALIZED');
    const { activities } = await root.data('listActivities', { filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'] });
    await root.submit('approveActivity', { fingerprint: activities[0].fingerprint });
    await confirm(root, anvil, id);
    expect(await countOf(anvil, from)).toBe(1);
  });

  test('a rejected top-up ends the transaction, and its nonce is free', async () => {
    const { root } = service;
    const consensus = (id: string) => `approvers.any(u, u.id == '${id}') && approvers.count() >= 2`;
    const { sponsor, address } = await createSponsor(root, anvil, { consensus });
    gasSponsors.push(sponsor);
    const from = await emptyAccount(root);
    const id = await paySponsored(root, from);
    await expect.poll(async () => (await statusOf(root, id)).transaction.lastError).toContain('needs approvals');
    const { activities } = await root.data('listActivities', { filterByStatus: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'] });
    await root.submit('rejectActivity', { fingerprint: activities[0].fingerprint });
    const { txError } = await reach(root, id, 'FAILED');
    expect(txError).toContain('was denied or rejected');
    expect(await countOf(anvil, address)).toBe(0);
    await anvil.fund(from, 1);
    expect(await noncesOf(root, [await paySponsored(root, from)])).toEqual([0]);
  });

  test('a top-up that nobody approves in time ends the transaction', async () => {
    const { root } = service;
    const consensus = (id: string) => `approvers.any(u, u.id == '${id}') && approvers.count() >= 2`;
    const { sponsor } = await createSponsor(root, anvil, { consensus });
    gasSponsors.push(sponsor);
    const id = await paySponsored(root, await emptyAccount(root));
    await expect.poll(async () => (await statusOf(root, id)).transaction.lastError).toContain('needs approvals');
    service.setAheadMs(31 * 60_000);
    try {
      expect((await reach(root, id, 'FAILED')).txError).toContain('nobody approved activity');
    } finally {
      service.setAheadMs(0);
    }
  });

  test('a sponsor without ether ends the transaction', async () => {
    const { root } = service;
    const { sponsor } = await createSponsor(root, anvil, { ether: 0 });
    gasSponsors.push(sponsor);
    const id = await paySponsored(root, await emptyAccount(root));
    expect((await reach(root, id, 'FAILED')).txError).toContain('PRECONDITION_FAILED');
  });

  test('approvers read that a sponsor pays, and policies see it', async () => {
    const { root } = service;
    const { sponsor } = await createSponsor(root, anvil);
    gasSponsors.push(sponsor);
    const from = await emptyAccount(root);
    const { caller, userId } = await createMember(root);
    await root.result('createPolicy', {
      policyName: uniqueName('Sponsored'),
      effect: 'EFFECT_ALLOW',
      consensus: `approvers.any(u, u.id == '${userId}') && approvers.count() >= 2`,
      condition: "activity.kind == 'ETH_SEND_TRANSACTION' && activity.params.sponsor == true",
      notes: '',
    });
    expect(errorOf(await caller.submit('ethSendTransaction', sponsored(from, { sponsor: false }))).code).toBe('POLICY_DENIED');
    const pending = await caller.submit('ethSendTransaction', sponsored(from));
    const { activity } = await root.data('getActivity', { activityId: pending.body.activity.id });
    expect(activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
    expect(activity.intent.ethSendTransactionIntent.sponsor).toBe(true);
    expect(JSON.stringify(activity)).toContain('The sponsor of the chain pays what the account lacks for the fee');
    await root.submit('approveActivity', { fingerprint: activity.fingerprint });
    const { activity: done } = await root.data('getActivity', { activityId: activity.id });
    await confirm(root, anvil, done.result.ethSendTransactionResult.sendTransactionStatusId);
  });

  test('a sponsor on a chain, or for an organization, that the operator did not name is refused with what to do', async () => {
    const { root } = service;
    const refused = await root.submit('ethSendTransaction', sponsored(await emptyAccount(root)));
    expect(errorOf(refused)).toMatchObject({ code: 'NOT_OFFERED' });
    expect(refused.body.message).toContain('gasSponsors');
  });

  test('doctor names sponsors that cannot request anything', async () => {
    const { root } = service;
    const { snapshots } = service.services.organizations;
    const { sponsor } = await createSponsor(root, anvil);
    const { userId } = await createMember(root);
    const load = (id: string) => snapshots.current(id);
    const detailOf = async (change: Partial<GasSponsor>, aheadMs = 0) => {
      const [finding] = await checkSponsors([{ ...sponsor, ...change }], load, Date.now() + aheadMs);
      return `${finding?.warning === true ? 'warning: ' : ''}${finding?.detail}`;
    };
    expect(await detailOf({})).toContain('expires within 30 days');
    expect(await detailOf({}, 2 * 86_400_000)).toContain('has no RPC key, or it has expired');
    expect(await detailOf({ userId })).toContain('has no RPC key');
    expect(await detailOf({ userId: service.first.userId })).toContain('is a member of the root quorum');
    expect(await detailOf({ userId: madeUpId() })).toContain('has no user');
    expect(await detailOf({ organizationId: madeUpId() })).toContain('cannot be read');
    await createToken(root, sponsor.userId, '31536000');
    expect(await detailOf({})).toBe(`${root.organizationId} can pay for fees on ${sponsor.chain}`);
  });

  test('D911: two nodes request each top-up once', async () => {
    const { root } = service;
    const { sponsor, address } = await createSponsor(root, anvil);
    gasSponsors.push(sponsor);
    const second = engine === 'sqlite' ? service : await startService(installation, { config: config() });
    try {
      const there = root.with({ url: second.url });
      const accounts = await Promise.all(Array.from({ length: 4 }, () => emptyAccount(root)));
      const ids = await Promise.all(accounts.map((from, index) => paySponsored(index % 2 === 0 ? root : there, from)));
      for (const id of ids) await confirm(root, anvil, id);
      expect(await countOf(anvil, address)).toBe(accounts.length);
      expect(await Promise.all(accounts.map((from) => countOf(anvil, from)))).toEqual([1, 1, 1, 1]);
    } finally {
      if (second !== service) await second.close();
    }
  });

  test('D912: a sponsor pays at most its maximum for one transaction, and for one at a time', async () => {
    const { root } = service;
    const { sponsor, address } = await createSponsor(root, anvil);
    gasSponsors.push(sponsor);
    const from = await emptyAccount(root);
    const submit = (more: object) => root.submit('ethSendTransaction', sponsored(from, more));
    const maxFeePerGas = `${MAX_WEI / 21_000n + 1n}`;
    for (const more of [{ maxFeePerGas }, { gasLimit: '16000000' }, { maxFeePerGas: '1'.repeat(40) }]) {
      const refused = await submit(more);
      expect(errorOf(refused).code).toBe('PRECONDITION_FAILED');
      expect(refused.body.message).toContain('maxWeiPerSend');
    }
    await anvil.call('evm_setAutomine', [false]);
    const id = await paySponsored(root, from);
    expect(errorOf(await submit({ value: '0', data: '0x01', gasLimit: '30000' })).code).toBe('PRECONDITION_FAILED');
    await anvil.call('evm_setAutomine', [true]);
    await confirm(root, anvil, id);
    expect(await countOf(anvil, address)).toBe(1);
  });
});
