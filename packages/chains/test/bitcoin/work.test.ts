import { finished } from '@countersign/collections';
import { bytesToHex } from '@noble/hashes/utils.js';
import { SigHash } from '@scure/btc-signer';
import { describe, expect, test } from 'vitest';
import { readInputRecords } from '../../src/bitcoin/input-records.ts';
import { sighashOf } from '../../src/bitcoin/sighash.ts';
import { bitcoinTransaction } from '../../src/bitcoin/transaction.ts';
import { newRequestBounds } from '../../src/parse-bounds.ts';
import { bitcoin } from './bitcoinjs.ts';
import { output, psbtOf, type Record, rawTransaction, script, txIdOf } from './psbt-builder.ts';
import { signerFor } from './support.ts';

const inSteps = bitcoinTransaction.inSteps as NonNullable<typeof bitcoinTransaction.inSteps>;
const context = { signer: signerFor(), interfaces: [], bounds: newRequestBounds };

/** A PSBT that spends many legacy outputs of the test key. */
function legacyPsbt(inputs: number, outputs: number): string {
  const spending = Array.from({ length: inputs }, (_, vout) => {
    const paid = rawTransaction([{ vout }], [output(100_000n, script.P2PKH)]);
    return [{ txId: txIdOf(paid) }, ['00', paid]] as const satisfies readonly unknown[];
  });
  const paying = Array.from({ length: outputs }, (_, at) => output(BigInt(at), `0014${at.toString(16).padStart(40, '3')}`));
  return psbtOf(spending, paying);
}

/** A PSBT with one input of the test key and many unknown records in its map. */
function recordedPsbt(count: number): string {
  const paid = rawTransaction([{}], [output(1_000n, script.P2PKH)]);
  const unknown = Array.from({ length: count - 1 }, (_, at): Record => [`fc${at.toString(16).padStart(6, '0')}`, '']);
  return psbtOf([[{ txId: txIdOf(paid) }, ['00', paid], ...unknown]]);
}

function stepsOf(steps: Generator<undefined, unknown>): number {
  let count = 0;
  while (steps.next().done !== true) count += 1;
  return count;
}

describe('the work of signing a PSBT', () => {
  test('D355: each legacy input is one step, and reads no output again', () => {
    const [inputs, outputs] = [300, 200];
    const parsed = bitcoinTransaction.parse(legacyPsbt(inputs, outputs), context);
    let reads = 0;
    const observed = parsed.psbt.outputs.map(({ amount, script }) => ({
      amount,
      get script() {
        reads += 1;
        return script;
      },
    }));
    const psbt = { ...parsed, psbt: { ...parsed.psbt, outputs: observed } };
    expect(stepsOf(inSteps.signingRequests(psbt, signerFor()))).toBe(inputs - 1);
    expect(reads).toBe(outputs);
  });

  test('D355: a PSBT is read in at least a step for each input and output', () => {
    expect(stepsOf(inSteps.parse(legacyPsbt(50, 80), context))).toBeGreaterThan(2 * (50 + 80));
  });

  test('D355: a map with more than 1,000 records is refused in a new request, and one with 1,000 is signed', () => {
    expect(() => bitcoinTransaction.parse(recordedPsbt(1_001), context)).toThrow('more than 1000 records in one map');
    expect(bitcoinTransaction.parse(recordedPsbt(1_000), context).ownInputs).toHaveLength(1);
    // A stored request is read as it was.
    expect(bitcoinTransaction.parse(recordedPsbt(1_001), { signer: signerFor(), interfaces: [] }).ownInputs).toHaveLength(1);
  });

  test('the digests of many legacy inputs are those of bitcoinjs-lib', () => {
    // 252 and 253 inputs: the number of inputs takes one byte, or three.
    for (const inputs of [1, 252, 253]) {
      const unsigned = new bitcoin.Transaction();
      for (let at = 0; at < inputs; at++) unsigned.addInput(new Uint8Array(32).fill(at), at, 0xffff_fff0 + (at % 16));
      for (let at = 0; at < 30; at++) unsigned.addOutput(new Uint8Array(at), BigInt(at));
      const sighash = sighashOf({
        version: unsigned.version,
        lockTime: unsigned.locktime,
        inputs: unsigned.ins.map(({ hash, index, sequence }) => {
          const records = readInputRecords([]);
          return { txId: Uint8Array.from(hash).reverse(), vout: index, sequence, records, spent: undefined, proven: false };
        }),
        outputs: unsigned.outs.map(({ script, value }) => ({ script, amount: value })),
      });
      // Scripts of any length, also one whose length takes three bytes.
      for (const scriptCode of [new Uint8Array(), new Uint8Array(25).fill(0x51), new Uint8Array(300).fill(0x52)]) {
        for (const index of [0, Math.floor(inputs / 2), inputs - 1]) {
          const expected = unsigned.hashForSignature(index, scriptCode, SigHash.ALL);
          expect(bytesToHex(sighash.legacy(index, scriptCode))).toBe(bytesToHex(expected));
        }
      }
    }
  });

  test('in steps and in one go, the same is read and signed', () => {
    const psbt = legacyPsbt(3, 4);
    const parsed = finished(inSteps.parse(psbt, context));
    expect(parsed).toEqual(bitcoinTransaction.parse(psbt, context));
    expect(finished(inSteps.signingRequests(parsed, signerFor()))).toEqual(
      bitcoinTransaction.signingRequests(parsed, signerFor()),
    );
  });
});
