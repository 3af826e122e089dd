import { chains } from '@countersign/chains';
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js';
import { base58 } from '@scure/base';
import { z } from 'zod';
import type { PaymentParts } from './parts.ts';

/** What a signature for Solana needs and only the chain knows. */
export const solanaFields = z.strictObject({
  recentBlockhash: z
    .string()
    .regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'must be a hash in base58')
    .describe('The latest blockhash'),
});

type SolanaFields = z.output<typeof solanaFields>;

const SYSTEM_PROGRAM = '11111111111111111111111111111111';
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';

/** An instruction, with the accounts of its message in order: signer, writable ones, then those that are only read. */
interface Instruction {
  readonly writable: readonly string[];
  readonly readOnly: readonly string[];
  readonly program: string;
  /** The accounts that the program gets, in its order. */
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
}

/** The unsigned transaction: a slot for one signature, and a message with one transfer. */
export function solanaPayment(parts: PaymentParts, { recentBlockhash }: SolanaFields): string {
  const { from } = parts;
  const { writable, readOnly, program, accounts, data } = instructionOf(parts);
  const others = [...new Set(writable.filter((key) => key !== from))];
  const keys = [from, ...others, ...readOnly, program];
  const message = concatBytes(
    // One signature, which is writable, and the accounts at the end that are only read.
    Uint8Array.of(1, 0, readOnly.length + 1, keys.length),
    ...keys.map((key) => base58.decode(key)),
    base58.decode(recentBlockhash),
    Uint8Array.of(1, keys.length - 1, accounts.length, ...accounts.map((key) => keys.indexOf(key)), data.length),
    data,
  );
  return bytesToHex(concatBytes(Uint8Array.of(1), new Uint8Array(64), message));
}

function instructionOf({ asset, from, to, amount }: PaymentParts): Instruction {
  const [, mint] = asset.id.split('/token:');
  if (mint === undefined) {
    // System program: transfer.
    const data = concatBytes(Uint8Array.of(2, 0, 0, 0), littleEndian(amount));
    return { writable: [from, to], readOnly: [], program: SYSTEM_PROGRAM, accounts: [from, to], data };
  }
  const [source, target] = [from, to].map((owner) => chains.solana.effects.holdsTokensOf?.(owner, asset.id)[0] ?? '') as [
    string,
    string,
  ];
  // Token program: TransferChecked, between the associated accounts of both wallets.
  const data = concatBytes(Uint8Array.of(12), littleEndian(amount), Uint8Array.of(asset.decimals));
  return { writable: [source, target], readOnly: [mint], program: TOKEN_PROGRAM, accounts: [source, mint, target, from], data };
}

function littleEndian(amount: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, amount, true);
  return bytes;
}
