import type { Client } from '@countersign/client';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { address as toAddress } from '@solana/addresses';
import { expect, test } from 'vitest';
import { createCountersignSigner } from '../src/index.ts';
import { wireTransaction } from '../src/wire.ts';

const own = new Uint8Array(32).fill(1);
const other = new Uint8Array(32).fill(2);
const address = toAddress(base58.encode(ed25519.getPublicKey(own)));
const content = Uint8Array.of(1, 2, 3);

/** A signer of a service that answers with what it is told, whatever it was asked for. */
function signerOf(result: unknown) {
  const answer = async () => ({ activity: { id: 'a', status: 'ACTIVITY_STATUS_COMPLETED' }, result });
  const client = { signRawPayload: answer, signTransaction: answer } as unknown as Client;
  return createCountersignSigner({ client, address });
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const onWire = (signature: Uint8Array) => ({ r: hex(signature.slice(0, 32)), s: hex(signature.slice(32)), v: '00' });

test('A71: a message that another key signed, or another one that this key signed, is refused', async () => {
  const sign = (signature: Uint8Array) => signerOf(onWire(signature)).signMessages([{ content, signatures: {} }]);
  const signature = ed25519.sign(content, own);
  expect(await sign(signature)).toEqual([{ [address]: signature }]);
  await expect(sign(ed25519.sign(content, other))).rejects.toThrow(address);
  await expect(sign(ed25519.sign(Uint8Array.of(1, 2), own))).rejects.toThrow(address);
  await expect(sign(signature.slice(0, 63))).rejects.toThrow(address);
  await expect(sign(new Uint8Array(64))).rejects.toThrow(address);
});

test('A71: a transaction with a signature of another key, or of another message, is refused', async () => {
  const transaction = { messageBytes: content, signatures: { [address]: null } };
  const sign = (signature: Uint8Array) => {
    const signed = wireTransaction({ ...transaction, signatures: { [address]: signature } });
    return signerOf({ signedTransaction: hex(signed) }).signTransactions([transaction as never]);
  };
  const signature = ed25519.sign(content, own);
  expect(await sign(signature)).toEqual([{ [address]: signature }]);
  await expect(sign(ed25519.sign(content, other))).rejects.toThrow(address);
  await expect(sign(ed25519.sign(Uint8Array.of(9), own))).rejects.toThrow(address);
  await expect(sign(new Uint8Array(64))).rejects.toThrow(address);
});
