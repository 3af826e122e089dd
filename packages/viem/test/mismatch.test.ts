import type { Client } from '@countersign/client';
import { type Hex, hashMessage, hashTypedData, keccak256, parseSignature, serializeTransaction } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { hashAuthorization } from 'viem/utils';
import { expect, test } from 'vitest';
import { toCountersignAccount } from '../src/index.ts';

const own = privateKeyToAccount(`0x${'11'.repeat(32)}`);
const other = privateKeyToAccount(`0x${'22'.repeat(32)}`);
const receiver = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const payment = { type: 'eip1559', chainId: 1, nonce: 7, to: receiver, value: 1n, gas: 21_000n, maxFeePerGas: 2n } as const;
const legacy = { type: 'legacy', chainId: 1, nonce: 7, to: receiver, value: 1n, gas: 21_000n, gasPrice: 2n } as const;
const typedData = {
  domain: { name: 'Adapter', chainId: 1 },
  types: { Order: [{ name: 'amount', type: 'uint256' }] },
  primaryType: 'Order',
  message: { amount: 5n },
} as const;
const authorization = { contractAddress: receiver, chainId: 1, nonce: 3 } as const;

/** A service that answers with what it is told, whatever it was asked for. */
function answering(result: unknown): Client<'turnkey'> {
  const answer = async () => ({ activity: { id: 'a', status: 'ACTIVITY_STATUS_COMPLETED' }, result });
  return { signRawPayload: answer, signTransaction: answer } as unknown as Client<'turnkey'>;
}

async function signatureOf(signer: PrivateKeyAccount, hash: Hex) {
  const { r, s, yParity } = parseSignature(await signer.sign({ hash }));
  return { r: r.slice(2), s: s.slice(2), v: `0${yParity}` };
}

const accountOf = (result: unknown) => toCountersignAccount({ client: answering(result), address: own.address });

test.each([
  ['a message', hashMessage('hello'), (account) => account.signMessage({ message: 'hello' })],
  ['a digest', `0x${'ab'.repeat(32)}`, (account) => account.sign?.({ hash: `0x${'ab'.repeat(32)}` })],
  ['typed data', hashTypedData(typedData), (account) => account.signTypedData(typedData)],
  ['an authorization', hashAuthorization(authorization), (account) => account.signAuthorization?.(authorization)],
] as [string, Hex, (account: ReturnType<typeof accountOf>) => Promise<unknown> | undefined][])(
  'A71: %s that another key signed, or another one that this key signed, is refused',
  async (_, hash, sign) => {
    await expect(sign(accountOf(await signatureOf(own, hash)))).resolves.toBeDefined();
    await expect(sign(accountOf(await signatureOf(other, hash)))).rejects.toThrow(own.address);
    await expect(sign(accountOf(await signatureOf(own, keccak256(hash))))).rejects.toThrow(own.address);
  },
);

test.each([payment, legacy])('A71: a signed transaction that is not the one asked for is refused: $type', async (transaction) => {
  const signed = (signer: PrivateKeyAccount, changed = {}) => signer.signTransaction({ ...transaction, ...changed });
  const answer = async (signedTransaction: Hex) =>
    accountOf({ signedTransaction: signedTransaction.slice(2) }).signTransaction(transaction);
  expect(await answer(await signed(own))).toBe(await signed(own));
  await expect(answer(await signed(other))).rejects.toThrow(own.address);
  for (const changed of [{ to: own.address }, { value: 2n }, { nonce: 8 }, { chainId: 5 }])
    await expect(answer(await signed(own, changed))).rejects.toThrow(own.address);
  await expect(answer(serializeTransaction(transaction))).rejects.toThrow();
});
