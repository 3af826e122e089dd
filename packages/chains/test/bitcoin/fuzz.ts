import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { RawPSBTV0 } from '@scure/btc-signer/psbt.js';
import fc from 'fast-check';
import type { Psbt } from '../../src/bitcoin/psbt.ts';
import { writeMaps } from '../../src/bitcoin/psbt-maps.ts';
import type { Output } from '../../src/bitcoin/serialize.ts';
import { attempt } from '../solana/attempt.ts';
import { mutated } from '../solana/mutate.ts';
import { bitcoin, signaturesAreValid } from './bitcoinjs.ts';
import { proof, psbtOf, spend } from './psbt-builder.ts';
import { parse, sign, vectors } from './support.ts';

function checkPsbt(bytes: Uint8Array): void {
  const parsed = attempt(() => parse(bytesToHex(bytes)));
  if (parsed === undefined) return;
  if (bytesToHex(writeMaps(parsed.psbt.maps)) !== bytesToHex(bytes))
    throw new Error('an accepted PSBT does not encode to itself');
  requireSameReading(parsed.psbt, bytes);
  const signed = sign(parsed);
  // bitcoinjs-lib is stricter about some records that do not matter for signing; whatever it reads, it must agree with.
  const theirs = orUndefined(() => bitcoin.Psbt.fromHex(signed));
  if (theirs === undefined) return;
  const unsigned = bytesToHex(theirs.data.globalMap.unsignedTx.toBuffer());
  if (!bytesToHex(bytes).includes(unsigned)) throw new Error('signing changed the transaction');
  for (const { index } of parsed.ownInputs) {
    if (orUndefined(() => signaturesAreValid(theirs, index)) === false)
      throw new Error(`the signature of input ${index} is not valid`);
  }
}

/** scure-btc-signer reads the same as we do, whenever it accepts the bytes. It also checks records that signing does not read. */
function requireSameReading({ inputs, outputs, version, lockTime }: Psbt, bytes: Uint8Array): void {
  const theirs = orUndefined(() => RawPSBTV0.decode(bytes));
  if (theirs === undefined) return;
  const show = (value: unknown) =>
    JSON.stringify(value, (_, each) =>
      each instanceof Uint8Array ? bytesToHex(each) : typeof each === 'bigint' ? `${each}` : each,
    );
  const unsigned = theirs.global.unsignedTx;
  const ours = {
    version,
    lockTime,
    outputs,
    inputs: inputs.map(({ txId, vout, sequence, spent, records: { partialSigners, redeemScript, witnessScript, ...rest } }) => [
      [txId, vout, sequence, spent, rest.sighashType, redeemScript, witnessScript, partialSigners],
      [rest.tapKeySig, rest.tapInternalKey, rest.tapMerkleRoot, rest.finalScriptSig],
    ]),
  };
  const same = {
    version: unsigned?.version,
    lockTime: unsigned?.lockTime,
    outputs: unsigned?.outputs.map(({ amount, script }: Output) => ({ amount, script })),
    inputs: theirs.inputs.map((records, index) => {
      const { txid, index: vout = 0, sequence } = unsigned?.inputs[index] ?? {};
      const spent = records.nonWitnessUtxo?.outputs[vout] ?? records.witnessUtxo;
      const output = spent && { amount: spent.amount, script: spent.script };
      const signers = (records.partialSig ?? []).map(([key]) => key);
      return [
        [txid, vout, sequence, output, records.sighashType, records.redeemScript, records.witnessScript, signers],
        [records.tapKeySig, records.tapInternalKey, records.tapMerkleRoot, records.finalScriptSig],
      ];
    }),
  };
  if (show(ours) !== show(same)) throw new Error('two readers of a PSBT disagree');
}

function orUndefined<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    // What the second implementation refuses cannot be compared.
    return undefined;
  }
}

/**
 * Throws mutated and random input at the PSBT reader and fails if it hangs, throws anything but a ChainError, accepts what does
 * not encode to itself, reads it otherwise than scure-btc-signer, or makes a signature that bitcoinjs-lib finds wrong. The same seed gives the same inputs.
 */
export function fuzz(runs: number, seed: number): void {
  const parameters = { numRuns: runs, seed };
  const valid = vectors.transactions.map(({ unsignedTransaction }) => hexToBytes(unsignedTransaction));
  const small = hexToBytes(psbtOf([[spend('P2WPKH'), proof]]));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => checkPsbt(Uint8Array.of(0x70, 0x73, 0x62, 0x74, 0xff, ...bytes))),
    parameters,
  );
  fc.assert(fc.property(mutated(valid), checkPsbt), parameters);
  fc.assert(fc.property(mutated([small]), checkPsbt), parameters);
}
