import { base58 } from '@scure/base';
import { z } from 'zod';
import { wholeNumber } from '../quantities.ts';
import type { PastTransaction, ReadHistory } from './history.ts';
import { visibleLine } from './visible-line.ts';

const MAX_BYTES = 1_048_576;
/** The end of the year 9999. */
const MAX_SECONDS = 253_402_300_799;
const MAX_MEMO = 256;

const signatureText = z
  .string()
  .max(88)
  .refine((text) => /^[1-9A-HJ-NP-Za-km-z]+$/.test(text) && base58.decode(text).length === 64);

const row = z.object({
  signature: signatureText,
  slot: wholeNumber,
  err: z.unknown().refine((value) => value !== undefined),
  memo: z.string().nullish(),
  blockTime: z.int().min(0).max(MAX_SECONDS).nullish(),
});

/**
 * Final transactions that name the address, by `getSignaturesForAddress`. A position is the slot and the signature of the last one.
 * Only final ones, so that a page does not change between requests.
 */
export const solanaHistory: ReadHistory = async (reader, address, { limit, position }) => {
  const [slot, before] = position?.split('.') ?? [];
  const entries = await reader.agree({
    method: 'getSignaturesForAddress',
    params: [address, { limit, commitment: 'finalized', ...(before !== undefined && { before }) }],
    result: pageAfter(limit, slot === undefined ? undefined : BigInt(slot), before),
    maxBytes: MAX_BYTES,
    isCallers: true,
  });
  const last = entries.at(-1);
  const isFull = entries.length === limit && last !== undefined;
  return { coverage: 'TRANSACTIONS', entries, ...(isFull && { next: `${last.block}.${last.hash}` }) };
};

/** SECURITY: D931, D932: at most as many as were asked for, each once, from newer to older, and none that is newer than the page before. */
function pageAfter(limit: number, slot: bigint | undefined, before: string | undefined): z.ZodType<readonly PastTransaction[]> {
  return z
    .array(row)
    .max(limit)
    .refine((rows) => new Set([before, ...rows.map(({ signature }) => signature)]).size === rows.length + 1)
    .refine((rows) => rows.every((each, index) => each.slot <= (rows[index - 1]?.slot ?? slot ?? each.slot)))
    .transform((rows) =>
      rows.map(({ signature, slot: block, err, memo, blockTime }) => ({
        hash: signature,
        block,
        isFailed: err !== null,
        ...(typeof blockTime === 'number' && { atSeconds: blockTime }),
        ...(typeof memo === 'string' && { memo: visibleLine(memo, MAX_MEMO) }),
      })),
    );
}
