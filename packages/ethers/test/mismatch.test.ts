import type { Client } from '@countersign/client';
import { hashMessage, keccak256, type Signature, Transaction, TypedDataEncoder, Wallet } from 'ethers';
import { expect, test } from 'vitest';
import { CountersignSigner } from '../src/index.ts';

const own = new Wallet(`0x${'11'.repeat(32)}`);
const other = new Wallet(`0x${'22'.repeat(32)}`);
const receiver = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const domain = { name: 'Adapter', chainId: 1n };
const types = { Order: [{ name: 'amount', type: 'uint256' }] };
const value = { amount: 5n };

/** A signer of a service that answers with what it is told, whatever it was asked for. */
function signerOf(result: unknown): CountersignSigner {
  const answer = async () => ({ activity: { id: 'a', status: 'ACTIVITY_STATUS_COMPLETED' }, result });
  const client = { signRawPayload: answer, signTransaction: answer } as unknown as Client<'turnkey'>;
  return new CountersignSigner({ client, address: own.address });
}

const onWire = ({ r, s, yParity }: Signature) => ({ r: r.slice(2), s: s.slice(2), v: `0${yParity}` });

test.each([
  ['a message', hashMessage('hello'), (signer: CountersignSigner) => signer.signMessage('hello')],
  [
    'typed data',
    TypedDataEncoder.hash(domain, types, value),
    (signer: CountersignSigner) => signer.signTypedData(domain, types, value),
  ],
] as const)('A71: %s that another key signed, or another one that this key signed, is refused', async (_, digest, sign) => {
  await expect(sign(signerOf(onWire(own.signingKey.sign(digest))))).resolves.toMatch(/^0x/);
  await expect(sign(signerOf(onWire(other.signingKey.sign(digest))))).rejects.toThrow(own.address);
  await expect(sign(signerOf(onWire(own.signingKey.sign(keccak256(digest)))))).rejects.toThrow(own.address);
});

test.each([
  { type: 2, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n },
  { type: 0, gasPrice: 2n },
])('A71: a signed transaction that is not the one asked for is refused: type $type', async (fees) => {
  const request = { chainId: 1n, nonce: 7, to: receiver, value: 1n, gasLimit: 21_000n, ...fees };
  const answer = (signed: string) => signerOf({ signedTransaction: signed.slice(2) }).signTransaction(request);
  const signed = await own.signTransaction(request);
  expect(await answer(signed)).toBe(signed);
  await expect(answer(await other.signTransaction(request))).rejects.toThrow(own.address);
  for (const changed of [{ to: own.address }, { value: 2n }, { nonce: 8 }, { chainId: 5n }])
    await expect(answer(await own.signTransaction({ ...request, ...changed }))).rejects.toThrow(own.address);
  await expect(answer(Transaction.from(request).unsignedSerialized)).rejects.toThrow();
});
