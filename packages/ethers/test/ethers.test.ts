import { Transaction, verifyMessage, verifyTypedData } from 'ethers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ethereumAccount, startSigningService } from '../../../test/support/signing-service.ts';
import { CountersignSigner } from '../src/index.ts';

const receiver = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

describe('a signer of ethers', () => {
  let service: Awaited<ReturnType<typeof startSigningService>>;
  let signer: CountersignSigner;

  beforeAll(async () => {
    service = await startSigningService(ethereumAccount);
    signer = new CountersignSigner({ client: service.client, address: service.addresses[0] ?? '' });
  });
  afterAll(() => service?.close());

  test('signs messages', async () => {
    const address = await signer.getAddress();
    expect(address).toBe(service.addresses[0]);
    for (const message of ['hello', 'grüße €', '', Uint8Array.of(0, 255)]) {
      expect(verifyMessage(message, await signer.signMessage(message))).toBe(address);
    }
  });

  test.each([
    { type: 2, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n },
    { type: 1, gasPrice: 2n, accessList: [{ address: receiver, storageKeys: [`0x${'00'.repeat(32)}`] }] },
    { type: 0, gasPrice: 2n },
  ])('signs transactions of type $type', async (own) => {
    const request = { chainId: 1n, nonce: 7, to: receiver, value: 10n ** 18n, gasLimit: 21_000n, ...own };
    const signed = Transaction.from(await signer.signTransaction({ ...request, from: signer.address }));
    expect(signed).toMatchObject({ from: signer.address, to: receiver, value: 10n ** 18n, nonce: 7 });
  });

  test('signs for its own address alone', async () => {
    const request = { chainId: 1n, nonce: 7, to: receiver, from: receiver, gasLimit: 21_000n, gasPrice: 2n, type: 0 };
    await expect(signer.signTransaction(request)).rejects.toThrow('from address mismatch');
  });

  test('signs typed data', async () => {
    const domain = { name: 'Adapter', version: '1', chainId: 1n, verifyingContract: receiver };
    const types = {
      Order: [
        { name: 'amount', type: 'uint256' },
        { name: 'note', type: 'bytes' },
      ],
    };
    const value = { amount: 2n ** 200n, note: '0x00ff' };
    expect(verifyTypedData(domain, types, value, await signer.signTypedData(domain, types, value))).toBe(signer.address);
  });

  test('D472: messages, typed data and transactions work with keys that sign no hashes', async () => {
    const guarded = new CountersignSigner({ client: await service.guarded(), address: signer.address });
    expect(verifyMessage('hello', await guarded.signMessage('hello'))).toBe(signer.address);
    const [domain, types] = [{ name: 'Adapter', chainId: 1n }, { Order: [{ name: 'amount', type: 'uint256' }] }];
    const signature = await guarded.signTypedData(domain, types, { amount: 1n });
    expect(verifyTypedData(domain, types, { amount: 1n }, signature)).toBe(signer.address);
    const payment = { chainId: 1n, nonce: 7, to: receiver, value: 1n, gasLimit: 21_000n, gasPrice: 2n, type: 0 };
    expect(Transaction.from(await guarded.signTransaction(payment)).from).toBe(signer.address);
    await expect(guarded.signTransaction({ ...payment, to: `0x${'99'.repeat(20)}` })).rejects.toMatchObject({ status: 403 });
  });

  test('keeps its key when it is connected, and waits for people', async () => {
    const clerk = new CountersignSigner({
      client: await service.clerk(),
      address: signer.address,
      wait: { everyMs: 20 },
    }).connect(null);
    const [signature] = await Promise.all([clerk.signMessage('please'), service.approveNext()]);
    expect(verifyMessage('please', signature)).toBe(signer.address);
  });
});
