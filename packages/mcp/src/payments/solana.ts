import { z } from 'zod';

/** What a signature for Solana needs and only the chain knows. */
export const solanaFields = z.strictObject({
  recentBlockhash: z
    .string()
    .regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'must be a hash in base58')
    .describe('The latest blockhash'),
});
