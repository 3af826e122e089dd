import { ApiKeyStamper, createClient } from '@countersign/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fundedAccount, pay, replace, sendingConfig, speedUp } from '../../../test/features/sending/support.ts';
import { type Anvil, missingAnvil, startAnvil } from '../../../test/support/anvil.ts';
import { newApiKey } from '../../../test/support/api-key.ts';
import type { Caller } from '../../../test/support/caller.ts';
import { type Installation, preparedEngines } from '../../../test/support/installation.ts';
import { startService, type TestService } from '../../../test/support/service.ts';
import { userParams } from '../../../test/support/world.ts';
import { checkActivity } from '../src/review/check-activity.ts';
import { createProver } from '../src/review/proof/prove-record.ts';
import { findReplaced } from '../src/review/replaced.ts';
import { unusual } from '../src/review/unusual.ts';
import { words } from '../src/words/index.ts';

const CHAIN = 'eip155:31337';
const knowledge = { contacts: [], tokens: [], interfaces: [] };

function clientOf({ url, organizationId, key: { publicKey, privateKey } }: Caller) {
  const stamper = new ApiKeyStamper({ apiPublicKey: publicKey, apiPrivateKey: privateKey });
  return createClient({ baseUrl: url, organizationId, stamper });
}

describe.skipIf(missingAnvil !== undefined)('the transaction that a request replaces', () => {
  let anvil: Anvil;
  let installation: Installation;
  let service: TestService;

  beforeAll(async () => {
    anvil = await startAnvil();
    await anvil.call('evm_setAutomine', [false]);
    installation = await preparedEngines.sqlite();
    service = await startService(installation, { config: sendingConfig([anvil.url]) });
  });
  afterAll(async () => {
    await service?.close();
    await installation?.remove();
    await anvil?.stop();
  });

  const request = (from: string, sendTransactionStatusId: string, more: object = {}) => ({
    type: 'ACTIVITY_TYPE_ETH_REPLACE_TRANSACTION',
    organizationId: service.root.organizationId,
    parameters: { from, caip2: CHAIN, sendTransactionStatusId, replacement: 'SPEED_UP', ...more },
  });

  async function prover() {
    const text = (await (await fetch(`${service.root.url}/log/key`)).text()).trim();
    const client = clientOf(service.root);
    return { client, prover: createProver(client, async () => ({ text, state: 'known' as const })) };
  }

  test('is found by its id, also behind another replacement', async () => {
    const { client, prover: proof } = await prover();
    const from = await fundedAccount(service.root, anvil);
    const first = await pay(service.root, from, { value: '7', gasLimit: '50000' });
    const direct = await findReplaced(client, request(from, first), proof);
    expect(direct?.content).toMatchObject({ value: '7', gasLimit: '50000' });
    const { sendTransactionStatusId: second } = await speedUp(service.root, from, first);
    const behind = await findReplaced(client, request(from, second), proof);
    expect(behind?.content).toMatchObject({ value: '7', gasLimit: '50000' });
    expect(behind?.activities).toHaveLength(2);
  });

  test('D976: another activity, an altered request and another account are not what it replaces', async () => {
    const { client, prover: proof } = await prover();
    const from = await fundedAccount(service.root, anvil);
    const id = await pay(service.root, from, { value: '7' });
    await pay(service.root, from, { value: '8' });
    const { activities: listed } = await client.listActivities({ filterByType: ['ACTIVITY_TYPE_ETH_SEND_TRANSACTION'] });
    const [other] = listed;
    if (other === undefined) throw new Error('there is no payment');
    const lying = {
      getActivity: client.getActivity,
      getSendTransactionStatus: async (input: Parameters<typeof client.getSendTransactionStatus>[0]) => {
        const status = await client.getSendTransactionStatus(input);
        return { ...status, transaction: { ...status.transaction, activityId: other.id } };
      },
    };
    expect(await findReplaced(lying, request(from, id), proof)).toBeUndefined();
    // The first vote in the answer has another amount.
    const altering = {
      getSendTransactionStatus: client.getSendTransactionStatus,
      getActivity: async (input: Parameters<typeof client.getActivity>[0]) =>
        JSON.parse(JSON.stringify(await client.getActivity(input)).replace('\\"value\\":\\"7\\"', '\\"value\\":\\"1\\"')),
    };
    expect(await findReplaced(altering, request(from, id), proof)).toBeUndefined();
    const stranger = await fundedAccount(service.root, anvil);
    expect(await findReplaced(client, request(stranger, id), proof)).toBeUndefined();
    expect(await findReplaced(client, request(from, id, { caip2: 'eip155:1' }), proof)).toBeUndefined();
    expect(await findReplaced(client, request(from, id), proof)).toMatchObject({ content: { value: '7' } });
  });

  test('D1033: is part of the reading of the request, with a fee that nobody stamped', async () => {
    const { client, prover: proof } = await prover();
    const from = await fundedAccount(service.root, anvil);
    const id = await pay(service.root, from, { value: '7' });
    const bob = newApiKey();
    await service.root.result('createUsers', { users: [{ ...userParams(bob), userName: 'Bob' }] });
    await service.root.result('createPolicy', {
      ...{ policyName: 'Sign', effect: 'EFFECT_ALLOW', notes: '', consensus: 'approvers.count() >= 2' },
      condition: "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'",
    });
    const asked = await replace(service.root.with({ key: bob }), { from, sendTransactionStatusId: id, replacement: 'SPEED_UP' });
    const { activity } = await client.getActivity({ activityId: asked.body.activity.id });
    const check = await checkActivity(client, activity, knowledge, proof);
    expect(check).toMatchObject({ state: 'read', reading: { replaces: { kind: 'SPEED_UP' } } });
    // D1033: a stamped price of gas is no stamped fee if nobody stamped how much gas.
    for (const [gasLimit, isFound] of [[undefined, true] as const, ['50000', false] as const]) {
      const paid = await pay(service.root, from, { value: '7', ...(gasLimit !== undefined && { gasLimit }) });
      const fees = { maxFeePerGas: '90000000000', maxPriorityFeePerGas: '9000000000' };
      const faster = { from, sendTransactionStatusId: paid, replacement: 'SPEED_UP' as const, ...fees };
      const { body } = await replace(service.root.with({ key: bob }), faster);
      const { activity: waits } = await client.getActivity({ activityId: body.activity.id });
      const read = await checkActivity(client, waits, knowledge, proof);
      expect(read.state).toBe('read');
      const around = { activity: waits, knowledge, past: [], open: [], proven: { payments: [], isAltered: false } };
      const texts = unusual(read, around).map(({ text }) => text);
      expect(texts.includes(words.approvals.unusualWords.feeByService)).toBe(isFound);
    }
  });

  test('a transaction that does not exist is not proven', async () => {
    const { client, prover: proof } = await prover();
    const from = await fundedAccount(service.root, anvil);
    expect(await findReplaced(client, request(from, '01890000-0000-7000-8000-000000000000'), proof)).toBeUndefined();
  });
});
