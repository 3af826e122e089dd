import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { SigHash } from '@scure/btc-signer';
import { Transaction as ScureTransaction } from '@scure/btc-signer/transaction.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readInputRecords } from '../../src/bitcoin/input-records.ts';
import { scriptKinds } from '../../src/bitcoin/network.ts';
import { ownScripts } from '../../src/bitcoin/own-scripts.ts';
import type { Unsigned } from '../../src/bitcoin/psbt.ts';
import type { Output } from '../../src/bitcoin/serialize.ts';
import { sighashOf } from '../../src/bitcoin/sighash.ts';
import { bitcoin } from './bitcoinjs.ts';
import { publicKey, readVectors } from './support.ts';

interface DigestVectors {
  readonly digests: readonly {
    readonly name: string;
    readonly unsignedTx: string;
    readonly publicKeyHex?: string;
    readonly spent: readonly (readonly [amount: string, script: string])[];
    readonly input: number;
    readonly digest: string;
  }[];
}

/** What the digests are computed from, taken out of a transaction that bitcoinjs-lib read. */
function toPsbt(transaction: bitcoin.Transaction, spent: readonly Output[]): Unsigned {
  return {
    version: transaction.version,
    lockTime: transaction.locktime,
    inputs: transaction.ins.map(({ hash, index, sequence }, at) => ({
      txId: Uint8Array.from(hash).reverse(),
      vout: index,
      sequence,
      records: readInputRecords([]),
      spent: spent[at] as Output,
      proven: false,
    })),
    outputs: transaction.outs.map(({ script, value }) => ({ script, amount: value })),
  };
}

const amount = fc.bigInt({ min: 0n, max: 21_000_000n * 100_000_000n });
const output = fc.record({ amount, script: fc.uint8Array({ maxLength: 80 }) });
const uint32 = fc.integer({ min: 0, max: 0xffffffff });
const arbitrary = fc.record({
  version: fc.constantFrom(1, 2),
  locktime: uint32,
  inputs: fc.uniqueArray(
    fc.record({ hash: fc.uint8Array({ minLength: 32, maxLength: 32 }), index: fc.nat(9), sequence: uint32, spent: output }),
    {
      minLength: 1,
      maxLength: 5,
      selector: ({ hash, index }) => `${bytesToHex(hash)}:${index}`,
    },
  ),
  outputs: fc.array(output, { minLength: 1, maxLength: 4 }),
});

describe('digests', () => {
  test.each(readVectors<DigestVectors>('bitcoin-sighash').digests)(
    '$name',
    ({ unsignedTx, publicKeyHex, spent, input, digest }) => {
      const outputs = spent.map(([value, script]) => ({ amount: BigInt(value), script: hexToBytes(script) }));
      const sighash = sighashOf(toPsbt(bitcoin.Transaction.fromHex(unsignedTx), outputs));
      const script = publicKeyHex && ownScripts(hexToBytes(publicKeyHex), scriptKinds).get(spent[input]?.[1] as string);
      const actual = script ? sighash.segwit(input, script.scriptCode, outputs[input]?.amount as bigint) : sighash.taproot(input);
      expect(bytesToHex(actual)).toBe(digest);
    },
  );

  test('are those of bitcoinjs-lib and of scure-btc-signer for any transaction', () => {
    const scriptCode = ownScripts(publicKey, ['P2PKH']).values().next().value?.scriptCode as Uint8Array;
    fc.assert(
      fc.property(arbitrary, ({ version, locktime, inputs, outputs }) => {
        const transaction = new bitcoin.Transaction();
        const scure = new ScureTransaction({ version, lockTime: locktime, allowUnknownOutputs: true, disableScriptCheck: true });
        transaction.version = version;
        transaction.locktime = locktime;
        for (const { hash, index, sequence } of inputs) {
          transaction.addInput(hash, index, sequence);
          scure.addInput({ txid: hash.toReversed(), index, sequence });
        }
        for (const { script, amount: value } of outputs) {
          transaction.addOutput(script, value);
          scure.addOutput({ script, amount: value }, true);
        }
        const spent = inputs.map((input) => input.spent);
        const [scripts, amounts] = [spent.map(({ script }) => script), spent.map((one) => one.amount)];
        const sighash = sighashOf(toPsbt(transaction, spent));
        inputs.forEach((_, at) => {
          const value = amounts[at] as bigint;
          expect(sighash.legacy(at, scriptCode)).toEqual(transaction.hashForSignature(at, scriptCode, SigHash.ALL));
          const segwit = sighash.segwit(at, scriptCode, value);
          expect(segwit).toEqual(transaction.hashForWitnessV0(at, scriptCode, value, SigHash.ALL));
          expect(segwit).toEqual(scure.preimageWitnessV0(at, scriptCode, SigHash.ALL, value));
          const taproot = sighash.taproot(at);
          expect(taproot).toEqual(transaction.hashForWitnessV1(at, scripts, amounts, SigHash.DEFAULT));
          expect(taproot).toEqual(scure.preimageWitnessV1(at, scripts, SigHash.DEFAULT, amounts));
        });
      }),
    );
  });

  test('a negative version is hashed as it is sent', () => {
    const transaction = bitcoin.Transaction.fromHex(
      readVectors<DigestVectors>('bitcoin-sighash').digests[0]?.unsignedTx as string,
    );
    transaction.version = 0xffffffff;
    const psbt = toPsbt(transaction, []);
    expect(sighashOf({ ...psbt, version: -1 }).segwit(0, Uint8Array.of(1), 5n)).toEqual(
      sighashOf(psbt).segwit(0, Uint8Array.of(1), 5n),
    );
  });
});
