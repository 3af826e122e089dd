import { equalBytes } from '@noble/curves/utils.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { attempt } from '../solana/attempt.ts';
import { mutated } from '../solana/mutate.ts';
import { transaction } from './arbitrary-transaction.ts';
import { reencode } from './oracle.ts';
import { parse, sign, vectors } from './support.ts';

function checkTransaction(bytes: Uint8Array): void {
  const hex = bytesToHex(bytes);
  const parsed = attempt(() => parse(hex));
  if (parsed === undefined) return;
  if (!equalBytes(reencode('Raw', bytes), bytes)) throw new Error('an accepted transaction does not encode to itself');
  if (!sign(parsed).includes(hex)) throw new Error('signing changed the raw bytes');
}

/**
 * Throws mutated and random input at the Tron reader and fails if it hangs, throws anything but a ChainError, or accepts
 * bytes that a second implementation does not write back as they are. The same seed gives the same inputs.
 */
export function fuzz(runs: number, seed: number): void {
  const parameters = { numRuns: runs, seed };
  const valid = vectors.transactions.map(({ unsignedTransaction }) => hexToBytes(unsignedTransaction));
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), checkTransaction), parameters);
  fc.assert(fc.property(mutated(valid), checkTransaction), parameters);
  fc.assert(
    fc.property(
      transaction.chain(({ bytes }) => mutated([bytes])),
      checkTransaction,
    ),
    parameters,
  );
}
