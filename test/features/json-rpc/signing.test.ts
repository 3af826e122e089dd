import { parseTransaction, recoverMessageAddress, recoverTransactionAddress, recoverTypedDataAddress } from 'viem';
import { expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { call, createSigner, rpc, send, transfer } from './support.ts';

const typedData = {
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'chainId', type: 'uint256' },
    ],
    Order: [{ name: 'amount', type: 'uint256' }],
  },
  primaryType: 'Order',
  domain: { name: 'Shop', chainId: 1 },
  message: { amount: '25' },
} as const;

/** The same with the types of viem. */
const exact = { ...typedData, domain: { ...typedData.domain, chainId: 1n }, message: { amount: 25n } };

describeEngines(
  'signing over JSON-RPC',
  (subject) => {
    const root = () => subject().service.root;
    const url = () => subject().service.url;

    test('signs a transaction, a message and typed data with the keys of a wallet', async () => {
      const signer = await createSigner(root());
      const [from = ''] = signer.addresses;
      const signed = await rpc(url(), signer, 'eth_signTransaction', transfer(from));
      expect(await recoverTransactionAddress({ serializedTransaction: signed.result })).toBe(from);
      expect(parseTransaction(signed.result)).toMatchObject({ chainId: 1, value: 10n ** 18n, type: 'eip1559', gas: 21_000n });

      const message = '0x68656c6c6f';
      const personal = await rpc(url(), signer, 'personal_sign', message, from);
      expect(await recoverMessageAddress({ message: { raw: message }, signature: personal.result })).toBe(from);

      for (const data of [typedData, JSON.stringify(typedData)]) {
        const typed = await rpc(url(), signer, 'eth_signTypedData_v4', from, data);
        expect(await recoverTypedDataAddress({ ...exact, signature: typed.result })).toBe(from);
      }
    });

    test.each([
      ['legacy', { gasPrice: '0x1', maxFeePerGas: undefined, maxPriorityFeePerGas: undefined }],
      [
        'eip2930',
        {
          gasPrice: '0x1',
          maxFeePerGas: undefined,
          maxPriorityFeePerGas: undefined,
          accessList: [{ address: `0x${'11'.repeat(20)}`, storageKeys: [`0x${'22'.repeat(32)}`] }],
        },
      ],
      ['eip4844', { maxFeePerBlobGas: '0x1', blobVersionedHashes: [`0x01${'33'.repeat(31)}`] }],
    ])('signs %s transactions', async (type, more) => {
      const signer = await createSigner(root());
      const [from = ''] = signer.addresses;
      const { result } = await rpc(url(), signer, 'account_signTransaction', transfer(from, more));
      expect(parseTransaction(result.raw).type).toBe(type);
      expect(await recoverTransactionAddress({ serializedTransaction: result.raw })).toBe(from);
      expect(result.tx.hash).toMatch(/^0x[0-9a-f]{64}$/);
    });

    test('shows accounts, the chain of the path and its health', async () => {
      const signer = await createSigner(root());
      expect((await rpc(url(), signer, 'eth_accounts')).result).toEqual(signer.addresses);
      const at = async (path: string, method: string) => (await send(url(), path, call(method), signer.token)).body;
      expect((await at(signer.addresses[1] as string, 'eth_accounts')).result).toEqual([signer.addresses[1]]);
      expect((await at(`${signer.walletId}/10`, 'eth_chainId')).result).toBe('0xa');
      expect((await at(`${signer.organizationId}/${signer.walletId}/10`, 'net_version')).result).toBe('10');
      expect((await at(signer.walletId, 'eth_chainId')).error).toMatchObject({ code: -32004 });
      expect((await rpc(url(), signer, 'health_status')).result).toMatch(/^\d+\.\d+/);
    });

    test('takes the chain id from the path, and no other one with it', async () => {
      const signer = await createSigner(root());
      const [from = ''] = signer.addresses;
      const at = async (...params: unknown[]) =>
        (await send(url(), `${signer.walletId}/5`, call('eth_signTransaction', ...params), signer.token)).body;
      expect(parseTransaction((await at(transfer(from, { chainId: undefined }))).result).chainId).toBe(5);
      expect((await at(transfer(from))).error).toMatchObject({ code: -32602, message: expect.stringContaining('chainId') });
      const typed = await send(url(), `${signer.walletId}/5`, call('eth_signTypedData_v4', from, typedData), signer.token);
      expect(typed.body.error).toMatchObject({ code: -32602 });
    });

    test.each([
      ['nonce', { nonce: undefined }],
      ['gas', { gas: undefined }],
      ['chainId', { chainId: undefined }],
      ['maxPriorityFeePerGas', { maxPriorityFeePerGas: undefined }],
      ['gasPrice', { maxFeePerGas: undefined, maxPriorityFeePerGas: undefined }],
      ['nonce', { nonce: 1 }],
      ['unknown', { unknown: '0x1' }],
      ['gasPrice', { gasPrice: '0x1' }],
      ['input', { input: '0x01', data: '0x02' }],
      ['type', { type: '0x0' }],
      ['from', { from: undefined }],
      ['from', { from: '0x00000000000000000000000000000000000000aa' }],
    ])('names %s as what is wrong with a transaction', async (field, more) => {
      const signer = await createSigner(root());
      const { error } = await rpc(url(), signer, 'eth_signTransaction', transfer(signer.addresses[0] as string, more));
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(field) });
    });

    test('answers a batch in its order, with an error in the place of a wrong call', async () => {
      const signer = await createSigner(root());
      const calls = [
        call('eth_accounts'),
        { jsonrpc: '1.0' },
        call('eth_sign', '0x', '0x'),
        call('no_such'),
        call('health_status', 1),
      ];
      const { status, body } = await send(url(), signer.walletId, calls, signer.token);
      expect(status).toBe(200);
      expect(body.map(({ id, error }: { id: unknown; error?: { code: number } }) => [id, error?.code])).toEqual([
        [(calls[0] as { id: number }).id, undefined],
        [null, -32600],
        [(calls[2] as { id: number }).id, -32004],
        [(calls[3] as { id: number }).id, -32601],
        [(calls[4] as { id: number }).id, undefined],
      ]);
      for (const wrong of ['{', '[]', '1', JSON.stringify({ ...call('eth_accounts'), id: undefined })]) {
        const { error } = (await send(url(), signer.walletId, wrong, signer.token)).body;
        expect([-32700, -32600]).toContain(error.code);
      }
    });

    test('a denial is an error with the sentence of the decision and the activity', async () => {
      const signer = await createSigner(root(), { condition: ' && eth.tx.value < 5' });
      const [from = ''] = signer.addresses;
      const denied = await rpc(url(), signer, 'eth_signTransaction', transfer(from));
      expect(denied.error).toMatchObject({ code: 4100, message: expect.stringContaining('no policy allows it') });
      expect(denied.error.data).toMatchObject({ errorCode: 'POLICY_DENIED' });
      const { activity } = await root().data('getActivity', { activityId: denied.error.data.activityId });
      expect(activity).toMatchObject({ status: 'ACTIVITY_STATUS_FAILED', type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2' });
      // Policies may have changed, so the same request is decided again.
      const again = await rpc(url(), signer, 'eth_signTransaction', transfer(from));
      expect(again.error.data.activityId).not.toBe(denied.error.data.activityId);
      expect(await rpc(url(), signer, 'eth_signTransaction', transfer(from, { value: '0x1' }))).toHaveProperty('result');
    });

    test('the same request is one activity, whatever its id', async () => {
      const signer = await createSigner(root());
      const [from = ''] = signer.addresses;
      const [first, second] = [
        await rpc(url(), signer, 'eth_signTransaction', transfer(from)),
        await rpc(url(), signer, 'eth_signTransaction', transfer(from)),
      ];
      expect(second.result).toBe(first.result);
      const made = async () => {
        const { activities } = await root().data('listActivities', { filterByType: ['ACTIVITY_TYPE_SIGN_TRANSACTION_V2'] });
        return activities.filter((activity: { votes: { userId: string }[] }) => activity.votes[0]?.userId === signer.userId)
          .length;
      };
      expect(await made()).toBe(1);
      const keyed = await send(url(), signer.walletId, call('eth_signTransaction', transfer(from)), signer.token, {
        'idempotency-key': 'again',
      });
      expect(keyed.body.result).toBe(first.result);
      expect(await made()).toBe(2);
    });

    test('a request that waits for approvals returns its result to the same request, also a day later', async () => {
      const { userIds } = (await root().data('getOrganization')).organizationData.rootQuorum;
      const needsBoth = (userId: string) =>
        `approvers.any(user, user.id == '${userId}') && approvers.any(user, user.id == '${userIds[0]}')`;
      const signer = await createSigner(root(), { consensus: needsBoth });
      const [from = ''] = signer.addresses;
      const ask = () => rpc(url(), signer, 'eth_signTransaction', transfer(from));
      const pending = await ask();
      expect(pending.error).toMatchObject({ code: -32002, data: { organizationId: root().organizationId } });
      const { activityId, fingerprint } = pending.error.data;
      expect((await ask()).error.data).toMatchObject({ activityId });
      try {
        // Two periods later the body is another one.
        subject().service.setAheadMs(100 * 60_000);
        expect((await ask()).error.data).toMatchObject({ activityId });
        subject().service.setAheadMs(0);
        expect((await root().submit('approveActivity', { fingerprint })).status).toBe(200);
        const { result } = await ask();
        expect(await recoverTransactionAddress({ serializedTransaction: result })).toBe(from);
        subject().service.setAheadMs(23 * 3_600_000);
        expect((await ask()).result).toBe(result);
      } finally {
        subject().service.setAheadMs(0);
      }
    });

    test('a request that an approver rejects stays rejected, until another key asks again', async () => {
      const { userIds } = (await root().data('getOrganization')).organizationData.rootQuorum;
      const signer = await createSigner(root(), {
        consensus: (userId) => `approvers.any(user, user.id == '${userId}') && approvers.any(user, user.id == '${userIds[0]}')`,
      });
      const ask = (headers = {}) =>
        send(url(), signer.walletId, call('personal_sign', '0x00', signer.addresses[0]), signer.token, headers);
      const { activityId, fingerprint } = (await ask()).body.error.data;
      await root().submit('rejectActivity', { fingerprint });
      expect((await ask()).body.error).toMatchObject({ code: 4001, data: { activityId } });
      const again = (await ask({ 'idempotency-key': 'once-more' })).body.error;
      expect(again).toMatchObject({ code: -32002 });
      expect(again.data.activityId).not.toBe(activityId);
    });

    test('the record names the credential, and the token is nowhere', async () => {
      const signer = await createSigner(root());
      await rpc(url(), signer, 'personal_sign', '0x01', signer.addresses[0]);
      const { apiKeys } = await root().data('getApiKeys', { userId: signer.userId });
      expect(apiKeys).toMatchObject([{ apiKeyId: signer.apiKeyId, credential: { type: 'CREDENTIAL_TYPE_RPC_TOKEN' } }]);
      expect(JSON.stringify(apiKeys)).not.toContain(signer.token);
      expect(subject().service.logText()).not.toContain(signer.token);
    });
  },
  { config: { rpcApprovalSeconds: 0 } },
);
