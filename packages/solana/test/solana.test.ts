import { getPublicKeyFromAddress, address as toAddress } from '@solana/addresses';
import { verifySignature } from '@solana/keys';
import {
  createSignableMessage,
  type MessagePartialSigner,
  partiallySignTransactionMessageWithSigners,
  setTransactionMessageFeePayerSigner,
  type TransactionPartialSigner,
} from '@solana/signers';
import {
  appendTransactionMessageInstruction,
  createTransactionMessage,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/transaction-messages';
import { assertTransactionIsFullySigned } from '@solana/transactions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSigningService } from '../../../test/support/signing-service.ts';
import { createCountersignSigner } from '../src/index.ts';
import { slotOf, wireTransaction } from '../src/wire.ts';

const solana = (index: number) =>
  ({ curve: 'CURVE_ED25519', path: `m/44'/501'/${index}'/0'`, addressFormat: 'ADDRESS_FORMAT_SOLANA' }) as const;
const memo = toAddress('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const blockhash = { blockhash: '9hFzgtVTWCFpgbJcmmRGmdgdyPN6Dy2mpdbdwKvVZYTX', lastValidBlockHeight: 1n } as never;

describe('a signer of @solana/kit', () => {
  let service: Awaited<ReturnType<typeof startSigningService>>;
  let payer: TransactionPartialSigner & MessagePartialSigner;
  let other: TransactionPartialSigner;

  beforeAll(async () => {
    service = await startSigningService(solana(0), solana(1));
    const signerAt = (index: number) =>
      createCountersignSigner({ client: service.client, address: toAddress(service.addresses[index] ?? '') });
    payer = signerAt(0);
    other = signerAt(1);
  });
  afterAll(() => service?.close());

  const transactionOf = (signers: readonly TransactionPartialSigner[], feePayer: TransactionPartialSigner = payer) => {
    const instruction = {
      programAddress: memo,
      data: new TextEncoder().encode('hello'),
      accounts: signers.map((signer) => ({ address: signer.address, role: 2, signer })),
    };
    const message = setTransactionMessageFeePayerSigner(feePayer, createTransactionMessage({ version: 0 }));
    return appendTransactionMessageInstruction(instruction, setTransactionMessageLifetimeUsingBlockhash(blockhash, message));
  };

  test('signs a transaction, alone and with another signer', async () => {
    for (const signers of [[payer], [payer, other]]) {
      const signed = await partiallySignTransactionMessageWithSigners(transactionOf(signers));
      assertTransactionIsFullySigned(signed);
      for (const { address } of signers) {
        const signature = signed.signatures[address];
        if (signature == null) throw new Error('no signature');
        expect(await verifySignature(await getPublicKeyFromAddress(address), signature, signed.messageBytes)).toBe(true);
      }
    }
  });

  test('signs messages', async () => {
    const message = createSignableMessage('hello');
    const [signatures] = await payer.signMessages([message]);
    const signature = signatures?.[payer.address];
    if (signature === undefined) throw new Error('no signature');
    expect(await verifySignature(await getPublicKeyFromAddress(payer.address), signature, message.content)).toBe(true);
  });

  test('D472: transactions and messages are signed by keys that sign nothing hidden', async () => {
    const guarded = createCountersignSigner({ client: await service.guarded(), address: payer.address });
    const message = createSignableMessage('hello');
    const [signatures] = await guarded.signMessages([message]);
    expect(signatures?.[payer.address]).toHaveLength(64);
    const signed = await partiallySignTransactionMessageWithSigners(transactionOf([guarded], guarded));
    expect(signed.signatures[payer.address]).toHaveLength(64);
  });

  test('a signature for another transaction is not taken', () => {
    const transaction = { messageBytes: Uint8Array.of(1, 2, 3), signatures: { a: null, b: new Uint8Array(64).fill(9) } };
    const signed = wireTransaction({ ...transaction, signatures: { ...transaction.signatures, a: new Uint8Array(64).fill(7) } });
    expect(slotOf(signed, transaction, 'a')).toEqual(new Uint8Array(64).fill(7));
    for (const position of [0, 65, signed.length - 1]) {
      const other = signed.slice();
      other[position] = (other[position] ?? 0) ^ 1;
      expect(() => slotOf(other, transaction, 'a')).toThrow('did not sign this transaction');
    }
    expect(() => slotOf(signed.slice(1), transaction, 'a')).toThrow('did not sign this transaction');
    expect(() => slotOf(signed, transaction, 'c')).toThrow('did not sign this transaction');
  });
});
