import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Anvil, missingAnvil, startAnvil, withAnvil } from '../../support/anvil.ts';
import type { Json } from '../../support/caller.ts';
import { type Engine, engines, type Installation, preparedEngines } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createSubOrganization, errorOf } from '../../support/world.ts';
import { exportAudit, logKey, verifyText } from '../log/audit-support.ts';
import { type Liar, startLiar } from '../sending/liar.ts';
import { confirm, fundedAccount, payment, RECEIVER, sendingConfig } from '../sending/support.ts';
import { call, createSigner, type Signer, send } from './support.ts';

const HOUR_MS = 3_600_000;

describe.skipIf(missingAnvil !== undefined).each(Object.keys(engines) as Engine[])(
  withAnvil('sending over JSON-RPC on %s'),
  (engine) => {
    let anvil: Anvil;
    let liar: Liar;
    let installation: Installation;
    let service: TestService;

    const config = () => ({ ...sendingConfig([liar.url]), rpcApprovalSeconds: 0 });

    beforeAll(async () => {
      anvil = await startAnvil();
      liar = await startLiar(anvil);
      installation = await preparedEngines[engine]();
      service = await startService(installation, { config: config() });
    });
    afterAll(async () => {
      await service?.close();
      await installation?.remove();
      await liar?.close();
      await anvil?.stop();
    });

    async function fundedSigner(choice = {}): Promise<Signer & { readonly from: string }> {
      const signer = await createSigner(service.root, choice);
      const [from = ''] = signer.addresses;
      await anvil.fund(from, 10);
      return { ...signer, from };
    }

    const ask = async (signer: Signer, method: string, params: unknown[], headers = {}, chainId = 31337): Promise<Json> =>
      (await send(service.url, `${signer.walletId}/${chainId}`, call(method, ...params), signer.token, headers)).body;

    const paying = (from: string, more: object = {}) => ({ from, to: RECEIVER, value: '0x1', ...more });

    async function sentBy(signer: Signer): Promise<Json[]> {
      const { activities } = await service.root.data('listActivities', { filterByType: ['ACTIVITY_TYPE_ETH_SEND_TRANSACTION'] });
      return activities.filter(({ votes }: Json) => votes[0]?.userId === signer.userId);
    }

    const countOf = async (from: string) => Number(await anvil.call<string>('eth_getTransactionCount', [from, 'latest']));

    test('a payment is one activity of the user, and tools follow it by reads', async () => {
      const signer = await fundedSigner();
      const { result: hash } = await ask(signer, 'eth_sendTransaction', [paying(signer.from)]);
      expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
      const receipt = () => ask(signer, 'eth_getTransactionReceipt', [hash]);
      await expect.poll(async () => (await receipt()).result?.status, { timeout: 60_000 }).toBe('0x1');
      expect((await ask(signer, 'eth_getTransactionByHash', [hash])).result).toMatchObject({ hash, value: '0x1', type: '0x2' });
      const [activity, ...others] = await sentBy(signer);
      expect(others).toEqual([]);
      const id = activity?.result.ethSendTransactionResult.sendTransactionStatusId;
      await confirm(service.root, anvil, id);
    });

    test('D941: the same payment is not made again for 24 hours, and another key makes another one', async () => {
      const signer = await fundedSigner({ expirationSeconds: `${7 * 24 * 3_600}` });
      const again = async (more = {}, headers = {}) =>
        (await ask(signer, 'eth_sendTransaction', [paying(signer.from, more)], headers)).result;
      const first = await again();
      try {
        expect(await again()).toBe(first);
        // Tools estimate gas and fees again, and another spelling is the same receiver.
        expect(await again({ gas: '0x7530', maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1' })).toBe(first);
        expect(await again({ to: RECEIVER.toUpperCase().replace('0X', '0x'), data: '0x' })).toBe(first);
        // The pipeline has forgotten the body by then.
        for (const hours of [1, 2, 23]) {
          service.setAheadMs(hours * HOUR_MS);
          expect(await again()).toBe(first);
        }
        service.setAheadMs(0);
        const second = await again({}, { 'idempotency-key': 'second' });
        expect(second).not.toBe(first);
        expect(await again({ nonce: '0x7' }, { 'idempotency-key': 'second' })).toBe(second);
        const third = await again({ nonce: '0x2' });
        expect([first, second]).not.toContain(third);
        expect(await again({ nonce: '0x2' })).toBe(third);
        await expect.poll(() => countOf(signer.from), { timeout: 60_000 }).toBe(3);
        service.setAheadMs(25 * HOUR_MS);
        const nextDay = await again();
        expect(nextDay).toMatch(/^0x[0-9a-f]{64}$/);
        expect([first, second, third]).not.toContain(nextDay);
      } finally {
        service.setAheadMs(0);
      }
    });

    test('D941: copies of a payment at one time, also at two nodes and over the border of a period, are one payment', async () => {
      const signer = await fundedSigner();
      const other = engine === 'sqlite' ? service : await startService(installation, { config: config() });
      try {
        // The border: the clock of the other node is in the next period of bodies.
        if (other !== service) other.setAheadMs(50 * 60_000);
        const body = call('eth_sendTransaction', paying(signer.from, { value: '0x5' }));
        const at = async (url: string): Promise<string> =>
          (await send(url, `${signer.walletId}/31337`, body, signer.token)).body.result;
        const hashes = await Promise.all(Array.from({ length: 6 }, (_, index) => at(index % 2 === 0 ? service.url : other.url)));
        expect(new Set(hashes).size).toBe(1);
        await expect.poll(() => countOf(signer.from), { timeout: 60_000 }).toBe(1);
      } finally {
        if (other !== service) await other.close();
      }
    });

    test('D941: requests with one idempotencyKey are one payment, also if their bodies differ', async () => {
      const { root } = service;
      const from = await fundedAccount(root, anvil);
      const answers = await Promise.all(
        Array.from({ length: 4 }, (_, index) =>
          root.submit('ethSendTransaction', payment(from, { idempotencyKey: 'invoice-7', gasLimit: `${21_000 + index}` })),
        ),
      );
      const [made, ...more] = answers.filter(({ status }) => status === 200);
      expect(more).toEqual([]);
      for (const answer of answers.filter(({ status }) => status !== 200))
        expect(errorOf(answer)).toMatchObject({ status: 409, code: 'IDEMPOTENCY_KEY_USED' });
      expect(JSON.stringify(answers)).toContain(made?.body.activity.id);
      // The key names a payment of one account.
      const elsewhere = await fundedAccount(root, anvil);
      expect((await root.submit('ethSendTransaction', payment(elsewhere, { idempotencyKey: 'invoice-7' }))).status).toBe(200);
    });

    test('an audit file with payments of the endpoint verifies', async () => {
      const { caller } = await createSubOrganization(service.root);
      const signer = await createSigner(caller);
      const [from = ''] = signer.addresses;
      await anvil.fund(from, 10);
      expect(await ask(signer, 'eth_sendTransaction', [paying(from)])).toHaveProperty('result');
      const text = await exportAudit(caller);
      expect(text).toContain('"type":"ACTIVITY_TYPE_ETH_SEND_TRANSACTION"');
      expect(await verifyText(text, await logKey(service.url))).toMatchObject({ ok: true, report: { stampsByService: 1 } });
    });

    test('a payment that waits for approval names its activity, and the same call returns the hash once approved', async () => {
      const { userIds } = (await service.root.data('getOrganization')).organizationData.rootQuorum;
      const needsBoth = (userId: string) =>
        `approvers.any(user, user.id == '${userId}') && approvers.any(user, user.id == '${userIds[0]}')`;
      const signer = await fundedSigner({ consensus: needsBoth });
      const again = () => ask(signer, 'eth_sendTransaction', [paying(signer.from)]);
      const { error } = await again();
      expect(error).toMatchObject({ code: -32002, data: { organizationId: service.root.organizationId } });
      expect((await again()).error.data.activityId).toBe(error.data.activityId);
      await service.root.submit('approveActivity', { fingerprint: error.data.fingerprint });
      const { result } = await again();
      expect(result).toMatch(/^0x[0-9a-f]{64}$/);
      expect(await sentBy(signer)).toHaveLength(1);
      await expect.poll(() => countOf(signer.from), { timeout: 60_000 }).toBe(1);
    });

    test('tools that choose nonces get the one that the service assigns next', async () => {
      const signer = await fundedSigner();
      await anvil.call('evm_setAutomine', [false]);
      try {
        for (const nonce of ['0x0', '0x1', '0x2']) {
          expect((await ask(signer, 'eth_getTransactionCount', [signer.from, 'pending'])).result).toBe(nonce);
          expect(await ask(signer, 'eth_sendTransaction', [paying(signer.from, { nonce })])).toHaveProperty('result');
        }
        const used = await ask(signer, 'eth_sendTransaction', [paying(signer.from, { nonce: '0x1', value: '0x2' })]);
        expect(used.error).toMatchObject({ code: -32602, message: expect.stringContaining('nonce') });
      } finally {
        await anvil.call('evm_setAutomine', [true]);
        await anvil.mine(1);
      }
    });

    test('D944: a call pays from accounts of its path, on the chain of its path, as policies allow', async () => {
      const [one, two] = [await fundedSigner(), await fundedSigner()];
      const foreign = await ask(one, 'eth_sendTransaction', [paying(two.from)]);
      expect(foreign.error).toMatchObject({ code: -32602 });
      const otherChain = await ask(one, 'eth_sendTransaction', [paying(one.from, { chainId: '0x1' })]);
      expect(otherChain.error).toMatchObject({ code: -32602, message: expect.stringContaining('chainId') });
      expect((await ask(one, 'eth_sendTransaction', [paying(one.from)], {}, 5)).error).toMatchObject({ code: -32004 });
      const limited = await fundedSigner({ condition: ' && eth.tx.value < 5' });
      const denied = await ask(limited, 'eth_sendTransaction', [paying(limited.from, { value: '0x5' })]);
      expect(denied.error).toMatchObject({ code: 4100, data: { errorCode: 'POLICY_DENIED' } });
      expect(await countOf(limited.from)).toBe(0);
    });

    test.each([
      ['to', { to: undefined }],
      ['accessList', { accessList: [{ address: RECEIVER, storageKeys: [] }] }],
      ['authorizationList', { authorizationList: [] }],
      ['maxFeePerBlobGas', { maxFeePerBlobGas: '0x1' }],
      ['unknown', { unknown: '0x1' }],
      ['gasPrice', { gasPrice: '0x1', maxFeePerGas: '0x1' }],
      ['value', { value: 1 }],
      ['data', { data: '0x01', input: '0x02' }],
    ])('names %s as what is wrong with a payment', async (field, more) => {
      const signer = await createSigner(service.root);
      const { error } = await ask(signer, 'eth_sendTransaction', [paying(signer.addresses[0] as string, more)]);
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(field) });
    });

    test('a payment that no node takes is an error for the same call, and not a hash without a receipt', async () => {
      const signer = await fundedSigner();
      liar.lies.set('eth_sendRawTransaction', () => ({ error: { code: -32000, message: 'insufficient funds' } }));
      const again = () => ask(signer, 'eth_sendTransaction', [paying(signer.from)]);
      const { result: hash } = await again();
      await expect
        .poll(async () => (await again()).error, { timeout: 60_000 })
        .toMatchObject({ code: -32003, data: { transactionHash: hash } });
      liar.lies.clear();
      const keyed = await ask(signer, 'eth_sendTransaction', [paying(signer.from)], { 'idempotency-key': 'again' });
      expect(keyed.result).toMatch(/^0x/);
    });

    test('D943: only listed reads reach a node, with parameters of their form', async () => {
      const signer = await createSigner(service.root);
      liar.asked.length = 0;
      for (const method of [
        'eth_sendRawTransaction',
        'anvil_setBalance',
        'debug_traceCall',
        'eth_newFilter',
        'txpool_content',
        '__proto__',
      ])
        expect((await ask(signer, method, [])).error.code).toBeLessThan(-32000);
      for (const [method, ...params] of [
        ['eth_getBalance', '0x12'],
        ['eth_getBalance', RECEIVER, 'newest'],
        ['eth_call', 'x', 'latest'],
        ['eth_call', { to: RECEIVER }, 'latest', { [RECEIVER]: { balance: '0x1' } }],
        ['eth_getLogs', { fromBlock: '0x0', toBlock: '0x7d1' }],
        ['eth_getLogs', { fromBlock: 'earliest', toBlock: 'latest' }],
        ['eth_feeHistory', '0x401', 'latest'],
      ] as const)
        expect((await ask(signer, method, params)).error).toMatchObject({ code: -32602 });
      expect(liar.asked.filter((each) => !each.startsWith('eth_chainId'))).toEqual([]);
      expect((await ask(signer, 'eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }])).result).toBeInstanceOf(Array);
      expect((await ask(signer, 'eth_feeHistory', ['0x2', 'latest', [20]])).result).toHaveProperty('baseFeePerGas');
      // A contract that reverts with its data: PUSH1 1 PUSH0 MSTORE PUSH1 32 PUSH0 REVERT.
      const contract = `0x${'42'.repeat(20)}`;
      await anvil.call('anvil_setCode', [contract, '0x60015f5260205ffd']);
      const { error } = await ask(signer, 'eth_call', [{ to: contract }, 'latest']);
      expect(error).toMatchObject({ code: expect.any(Number), message: expect.stringContaining('revert') });
    });

    test('D945: reads need a token that may be used', async () => {
      // The service itself asks the node too. Only clients ask about this address.
      const address = `0x${'d945'.padStart(40, '0')}`;
      const read = (signer: Signer) => ask(signer, 'eth_getBalance', [address, 'latest']);
      const reads = () => liar.asked.filter((each) => each.includes(address)).length;
      const signer = await createSigner(service.root);
      expect(await read(signer)).toMatchObject({ result: '0x0' });
      expect(reads()).toBe(1);
      await service.root.result('freeze', { userIds: [signer.userId], reason: 'test' });
      expect((await read(signer)).error).toMatchObject({ code: 4100, data: { errorCode: 'FROZEN' } });
      const elsewhere = await createSigner(service.root);
      const rules = [{ cidr: '203.0.113.0/24' }];
      const { apiKeys } = await service.root.data('getApiKeys', { userId: elsewhere.userId });
      const { publicKey } = apiKeys[0].credential;
      await service.root.result('setIpAllowlist', { publicKey, rules, enabled: true, onEvaluationError: 'DENY' });
      expect((await read(elsewhere)).error).toMatchObject({ data: { errorCode: 'IP_NOT_ALLOWED' } });
      expect(reads()).toBe(1);
    });
  },
);
