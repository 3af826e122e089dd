import { z } from 'zod';
import type { Call } from '../chain-nodes/endpoint.ts';

const whole = z.number().int().nonnegative();
const base58 = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,90}$/);
const context = z.object({ slot: whole });

const status = z
  .object({
    slot: whole,
    err: z.unknown(),
    confirmationStatus: z.enum(['processed', 'confirmed', 'finalized']).nullish(),
  })
  .transform(({ slot, err, confirmationStatus }) => ({
    slot,
    isFailed: err !== null && err !== undefined,
    level: { processed: 1, confirmed: 2, finalized: 3 }[confirmationStatus ?? 'processed'],
  }))
  .nullable();

/** What a node says about a transaction that a block contains. Level 1 is a block, 2 one that most validators voted for, 3 a final one. */
export type SolanaStatus = NonNullable<z.output<typeof status>>;

/** The newest block of a commitment: its slot, and the number of blocks before it. */
export interface SolanaHead {
  readonly slot: number;
  readonly height: number;
}

type Commitment = 'confirmed' | 'finalized';

/** Most signatures in one request. */
const MAX_SIGNATURES = 256;

/** The JSON-RPC calls of Solana nodes that sending needs. */
export const solanaCalls = {
  blockhash: (): Call<string> => ({
    method: 'getLatestBlockhash',
    params: [{ commitment: 'confirmed' }],
    result: z.object({ value: z.object({ blockhash: base58 }) }).transform(({ value }) => value.blockhash),
  }),
  isValid: (blockhash: string): Call<boolean> => ({
    method: 'isBlockhashValid',
    params: [blockhash, { commitment: 'confirmed' }],
    result: z.object({ value: z.boolean() }).transform(({ value }) => value),
  }),
  head: (commitment: Commitment): Call<SolanaHead> => ({
    method: 'getEpochInfo',
    params: [{ commitment }],
    result: z
      .object({ absoluteSlot: whole, blockHeight: whole })
      .transform(({ absoluteSlot, blockHeight }) => ({ slot: absoluteSlot, height: blockHeight })),
  }),
  /** The first block that a node still has. */
  firstBlock: (): Call<number> => ({ method: 'getFirstAvailableBlock', params: [], result: whole }),
  /** SECURITY: D921: a node that keeps no history rejects the call, instead of not knowing the transaction. */
  statuses: (
    signatures: readonly string[],
  ): Call<{ readonly slot: number; readonly value: readonly (SolanaStatus | null)[] }> => ({
    method: 'getSignatureStatuses',
    params: [signatures.slice(0, MAX_SIGNATURES), { searchTransactionHistory: true }],
    result: z
      .object({ context, value: z.array(status).length(Math.min(signatures.length, MAX_SIGNATURES)) })
      .transform(({ context: { slot }, value }) => ({ slot, value })),
  }),
  /** What the execution of an unsigned transaction would fail with. Null if it would succeed. */
  simulate: (unsigned: string): Call<string | null> => ({
    method: 'simulateTransaction',
    params: [toBase64(unsigned), { encoding: 'base64', sigVerify: false, commitment: 'confirmed' }],
    result: z
      .object({ value: z.object({ err: z.unknown() }) })
      .transform(({ value: { err } }) => (err === null || err === undefined ? null : JSON.stringify(err).slice(0, 300))),
  }),
  /** Nodes neither try the transaction first nor repeat it: the service asks before it signs, and repeats itself. */
  send: (signed: string): Call<string> => ({
    method: 'sendTransaction',
    params: [toBase64(signed), { encoding: 'base64', skipPreflight: true, maxRetries: 0 }],
    result: base58,
  }),
};

const toBase64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
