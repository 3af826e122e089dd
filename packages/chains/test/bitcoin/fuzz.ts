import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { decodePsbt, encodePsbt } from '../../src/bitcoin/psbt.ts';
import { attempt } from '../solana/attempt.ts';
import { mutated } from '../solana/mutate.ts';
import { bitcoin, signaturesAreValid } from './bitcoinjs.ts';
import { proof, psbtOf, spend } from './psbt-builder.ts';
import { parse, sign, vectors } from './support.ts';

function checkPsbt(bytes: Uint8Array): void {
  const parsed = attempt(() => parse(bytesToHex(bytes)));
  if (parsed === undefined) return;
  const again = encodePsbt(decodePsbt(bytes));
  if (bytesToHex(encodePsbt(decodePsbt(again))) !== bytesToHex(again))
    throw new Error('an accepted PSBT does not encode to itself');
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
 * not encode to itself, or makes a signature that bitcoinjs-lib finds wrong. The same seed gives the same inputs.
 */
export function fuzzBitcoin(runs: number, seed: number): void {
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
