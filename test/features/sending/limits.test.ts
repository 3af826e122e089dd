import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Anvil, missingAnvil, startAnvil, withAnvil } from '../../support/anvil.ts';
import type { Caller } from '../../support/caller.ts';
import { type Installation, preparedEngines } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createMember, errorOf, uniqueName } from '../../support/world.ts';
import { createOrganization } from '../catalogue/support/organizations.ts';
import { createPolicy } from '../policies/support.ts';
import { ethereumTransaction } from '../policies/transactions.ts';
import { limitSignatures, statuses } from '../usage/support.ts';
import { confirm, fundedAccount, pay, payment, sendingConfig } from './support.ts';

const MILLI = 10n ** 15n;

describe.skipIf(missingAnvil !== undefined)(withAnvil('limits and what is sent'), () => {
  let anvil: Anvil;
  let installation: Installation;
  let service: TestService;

  beforeAll(async () => {
    anvil = await startAnvil();
    installation = await preparedEngines.sqlite();
    service = await startService(installation, { config: sendingConfig([anvil.url]) });
  });
  afterAll(async () => {
    await service?.close();
    await installation?.remove();
    await anvil?.stop();
  });

  /** A member who may sign and send while a limit holds, and a funded account. */
  async function limited(condition: string, limit: (root: Caller) => Promise<unknown>) {
    const root = await createOrganization(service.root, service);
    await limit(root);
    const { caller, userId } = await createMember(root);
    await createPolicy(root, 'ALLOW', { condition, consensus: `approvers.any(u, u.id == '${userId}')` });
    return { root, caller, from: await fundedAccount(root, anvil) };
  }

  const limitEther = (threshold: string) => (root: Caller) =>
    root.result('createVelocityControl', {
      name: uniqueName('Ether'),
      identifier: 'ether',
      dataSource: { chainAssetTransfer: { definition: [{ caip19: 'eip155:31337/slip44:60', decimals: '18' }] } },
      aggregation: {
        method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM',
        operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL',
        threshold,
        window: { infinite: {} },
        groupBy: { organization: {} },
      },
    });

  const signing = (from: string, value: bigint) => ({
    signWith: from,
    unsignedTransaction: ethereumTransaction({ chainId: 31337n, value }),
    type: 'TRANSACTION_TYPE_ETHEREUM',
  });

  test('D740: payments that are sent at the same time stay within a limit, once, together with what is signed', async () => {
    const { root, caller, from } = await limited("activity.action == 'SIGN' && controls.ether", limitEther('0.007'));
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => caller.submit('ethSendTransaction', payment(from, { value: `${2n * MILLI}` }))),
    );
    expect(statuses(answers)).toEqual({ 200: 3, 403: 3 });
    expect(errorOf(await caller.submit('signTransaction', signing(from, 2n * MILLI))).code).toBe('POLICY_DENIED');
    expect((await caller.submit('signTransaction', signing(from, MILLI))).status).toBe(200);
    expect(errorOf(await caller.submit('ethSendTransaction', payment(from))).code).toBe('POLICY_DENIED');
    const sent = answers.filter(({ status }) => status === 200);
    for (const { body } of sent) {
      const { activity } = await root.data('getActivity', { activityId: body.activity.id });
      await confirm(root, anvil, activity.result.ethSendTransactionResult.sendTransactionStatusId);
    }
    expect(BigInt(await anvil.call<string>('eth_getTransactionCount', [from, 'latest']))).toBe(3n);
  });

  test('D740: a limit on the number of signed transactions that a DENY demands counts sent ones', async () => {
    const types = ['ACTIVITY_TYPE_SIGN_TRANSACTION_V2'];
    const { root, caller, from } = await limited("activity.action == 'SIGN'", (root) =>
      limitSignatures(root, { threshold: '2', types }),
    );
    const condition = "activity.kind == 'SIGN_TRANSACTION' && !controls.few";
    await createPolicy(root, 'DENY', { condition, consensus: 'true' });
    await confirm(root, anvil, await pay(caller, from));
    expect((await caller.submit('signTransaction', signing(from, 1n))).status).toBe(200);
    expect(errorOf(await caller.submit('ethSendTransaction', payment(from))).code).toBe('POLICY_DENIED');
  });

  test('D740: an ALLOW with a limit that counts signed transactions only does not allow sending', async () => {
    const types = ['ACTIVITY_TYPE_SIGN_TRANSACTION_V2'];
    const { caller, from } = await limited("activity.action == 'SIGN' && controls.few", (root) =>
      limitSignatures(root, { threshold: '2', types }),
    );
    expect(errorOf(await caller.submit('ethSendTransaction', payment(from))).code).toBe('POLICY_DENIED');
    expect((await caller.submit('signTransaction', signing(from, 1n))).status).toBe(200);
  });
});
