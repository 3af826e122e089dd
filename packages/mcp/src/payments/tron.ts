import { tronPayment } from '@countersign/chains';
import { z } from 'zod';
import { AMOUNT, toBaseUnits } from './amount.ts';
import { orderOf, type PaymentParts } from './parts.ts';

/** What a signature for Tron needs and only the chain knows. */
export const tronFields = z.strictObject({
  blockId: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
    .describe('The id of a block of the last minutes'),
  expirationSeconds: z.int().min(60).max(86_400).optional().describe('How long the transaction is good. An hour by default'),
  feeLimitTrx: z.string().regex(AMOUNT).optional().describe('The most TRX that a transfer of a token may burn. 30 by default'),
});

type TronFields = z.output<typeof tronFields>;

const HOUR_SECONDS = 3_600;
const TRX_DECIMALS = 6;

/** `raw_data_hex` of a payment that refers to the given block. */
export function tronTransaction(parts: PaymentParts, { blockId, ...fields }: TronFields, timestampMs: number): string {
  const expiration = timestampMs + (fields.expirationSeconds ?? HOUR_SECONDS) * 1_000;
  return tronPayment(orderOf(parts), {
    // The last two bytes of the number of the block, and eight bytes of its hash.
    reference: { refBlockBytes: blockId.slice(12, 16), refBlockHash: blockId.slice(16, 32), expiration: `${expiration}` },
    timestampMs,
    feeLimit: toBaseUnits(fields.feeLimitTrx ?? '30', TRX_DECIMALS),
  });
}
