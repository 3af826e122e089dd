import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Anvil, missingAnvil, startAnvil, withAnvil } from '../../support/anvil.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { type Installation, preparedEngines } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createMember, createWallet, errorOf } from '../../support/world.ts';
import { createOrganization } from '../catalogue/support/organizations.ts';
import { type Liar, startLiar } from './liar.ts';
import { confirm, fundedAccount, payment, sendingConfig } from './support.ts';

describe.skipIf(missingAnvil !== undefined)(withAnvil('votes on payments'), () => {
  let anvil: Anvil;
  let liar: Liar;
  let installation: Installation;
  let service: TestService;

  beforeAll(async () => {
    anvil = await startAnvil();
    liar = await startLiar(anvil);
    installation = await preparedEngines.sqlite();
    service = await startService(installation, { config: { ...sendingConfig([liar.url]), chainSendsPerOrganization: 3 } });
  });
  afterAll(async () => {
    await service?.close();
    await installation?.remove();
    await liar?.close();
    await anvil?.stop();
  });

  /** A payment of a member that needs a second person. */
  async function pendingPayment(
    root: Caller,
  ): Promise<{ readonly payer: Caller; readonly from: string; readonly activity: Json }> {
    const { userIds } = (await root.data('getOrganization')).organizationData.rootQuorum;
    const { caller: payer, userId } = await createMember(root);
    await root.result('createPolicy', {
      policyName: `Two people ${userId}`,
      effect: 'EFFECT_ALLOW',
      consensus: `approvers.any(user, user.id == '${userId}') && approvers.any(user, user.id == '${userIds[0]}')`,
      condition: "activity.kind == 'ETH_SEND_TRANSACTION'",
      notes: '',
    });
    const from = await fundedAccount(root, anvil);
    const { body } = await payer.submit('ethSendTransaction', payment(from));
    const { activity } = await root.data('getActivity', { activityId: body.activity.id });
    expect(activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
    return { payer, from, activity };
  }

  const statusOf = async (root: Caller, activityId: string) => (await root.data('getActivity', { activityId })).activity.status;

  test('D1011: a user who uses up the share of the organization does not end payments that wait for approval', async () => {
    const root = await createOrganization(service.root, service);
    const { payer, activity } = await pendingPayment(root);
    const { addresses } = await createWallet(root);
    const flood = () => payer.submit('ethSendTransaction', payment(addresses[0] as string));
    await expect.poll(async () => errorOf(await flood()).code, { interval: 1 }).toBe('RATE_LIMIT_EXCEEDED');
    const approve = () => root.submit('approveActivity', { fingerprint: activity.fingerprint });
    const refused = await approve();
    expect(await statusOf(root, activity.id)).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
    expect(errorOf(refused)).toEqual({ status: 429, code: 'RATE_LIMIT_EXCEEDED' });
    await expect.poll(async () => (await approve()).status, { timeout: 60_000, interval: 500 }).toBe(200);
    const { activity: done } = await root.data('getActivity', { activityId: activity.id });
    await confirm(root, anvil, done.result.ethSendTransactionResult.sendTransactionStatusId);
  });

  test('D1012: nodes are not asked for a vote of a user whose approval nothing needs, or who is frozen', async () => {
    const root = await createOrganization(service.root, service);
    const { from, activity } = await pendingPayment(root);
    const { caller: stranger } = await createMember(root);
    const { caller: frozen, userId } = await createMember(root);
    await root.result('freeze', { userIds: [userId], reason: 'test' });
    liar.asked.length = 0;
    const approve = (caller: Caller) => caller.submit('approveActivity', { fingerprint: activity.fingerprint });
    expect(errorOf(await approve(stranger)).code).toBe('POLICY_DENIED');
    expect(errorOf(await approve(frozen)).code).toBe('FROZEN');
    expect(liar.asked.filter((each) => each.toLowerCase().includes(from.toLowerCase().slice(2)))).toEqual([]);
    expect(await statusOf(root, activity.id)).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
  });
});
