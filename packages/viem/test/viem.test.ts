import { recoverAddress, recoverMessageAddress, recoverTransactionAddress, recoverTypedDataAddress } from 'viem';
import { recoverAuthorizationAddress } from 'viem/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ethereumAccount, startSigningService } from '../../../test/support/signing-service.ts';
import { toCountersignAccount } from '../src/index.ts';

const receiver = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const typedData = {
  domain: { name: 'Adapter', version: '1', chainId: 1, verifyingContract: receiver },
  types: {
    Order: [
      { name: 'amount', type: 'uint256' },
      { name: 'note', type: 'bytes' },
    ],
  },
  primaryType: 'Order',
  message: { amount: 2n ** 200n, note: '0x00ff' },
} as const;

describe('an account of viem', () => {
  let service: Awaited<ReturnType<typeof startSigningService>>;
  let account: ReturnType<typeof toCountersignAccount>;
  let address: `0x${string}`;

  beforeAll(async () => {
    service = await startSigningService(ethereumAccount);
    address = service.addresses[0] as `0x${string}`;
    account = toCountersignAccount({ client: service.client, address });
  });
  afterAll(() => service?.close());

  test('signs messages: text, bytes, and nothing at all', async () => {
    expect(account.address).toBe(address);
    for (const message of ['hello', 'grüße €', '', { raw: '0x00ff' } as const, { raw: Uint8Array.of(1, 2, 3) }]) {
      expect(await recoverMessageAddress({ message, signature: await account.signMessage({ message }) })).toBe(address);
    }
  });

  test.each([
    ['EIP-1559', { type: 'eip1559', maxFeePerGas: 2n, maxPriorityFeePerGas: 1n }],
    ['EIP-2930', { type: 'eip2930', gasPrice: 2n, accessList: [{ address: receiver, storageKeys: [`0x${'00'.repeat(32)}`] }] }],
    ['legacy', { type: 'legacy', gasPrice: 2n }],
  ] as const)('signs transactions: %s', async (_, own) => {
    const transaction = { chainId: 1, nonce: 7, to: receiver, value: 10n ** 18n, gas: 21_000n, ...own } as const;
    const serializedTransaction = await account.signTransaction(transaction);
    const recovered = await recoverTransactionAddress({ serializedTransaction } as Parameters<
      typeof recoverTransactionAddress
    >[0]);
    expect(recovered).toBe(address);
  });

  test('signs typed data, authorizations and digests', async () => {
    expect(await recoverTypedDataAddress({ ...typedData, signature: await account.signTypedData(typedData) })).toBe(address);
    const authorization = await account.signAuthorization?.({ contractAddress: receiver, chainId: 1, nonce: 3 });
    if (authorization === undefined) throw new Error('no authorization');
    expect(await recoverAuthorizationAddress({ authorization })).toBe(address);
    const hash = `0x${'ab'.repeat(32)}` as const;
    const signature = await account.sign?.({ hash });
    expect(await recoverAddress({ hash, signature: signature ?? '0x' })).toBe(address);
  });

  test('D472: with keys that sign no hashes, everything works but digests', async () => {
    const guarded = toCountersignAccount({ client: await service.guarded(), address });
    const message = 'hello';
    expect(await recoverMessageAddress({ message, signature: await guarded.signMessage({ message }) })).toBe(address);
    expect(await recoverTypedDataAddress({ ...typedData, signature: await guarded.signTypedData(typedData) })).toBe(address);
    const authorization = await guarded.signAuthorization?.({ contractAddress: receiver, chainId: 1, nonce: 3 });
    expect(authorization?.address).toBe(receiver);
    const payment = { type: 'legacy', gasPrice: 2n, chainId: 1, nonce: 7, to: receiver, value: 1n, gas: 21_000n } as const;
    expect(await guarded.signTransaction(payment)).toMatch(/^0x/);
    await expect(guarded.signTransaction({ ...payment, to: `0x${'99'.repeat(20)}` })).rejects.toMatchObject({ status: 403 });
    const refused = guarded.sign?.({ hash: `0x${'ab'.repeat(32)}` });
    await expect(refused).rejects.toThrow(/sufficient permissions/);
  });

  test('waits for people, and fails as they say', async () => {
    const clerk = toCountersignAccount({ client: await service.clerk(), address, wait: { everyMs: 20 } });
    const [signature] = await Promise.all([clerk.signMessage({ message: 'please' }), service.approveNext()]);
    expect(await recoverMessageAddress({ message: 'please', signature })).toBe(address);
    const impatient = toCountersignAccount({ client: service.client, address: receiver });
    await expect(impatient.signMessage({ message: 'of somebody else' })).rejects.toMatchObject({ status: 404 });
  });
});
