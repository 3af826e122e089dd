import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { amount, chainName } from '../../shapes/chains.ts';
import { organizationId } from '../../shapes/primitives.ts';

const suggestion = z
  .object({
    speed: z.enum(['SLOW', 'NORMAL', 'FAST']),
    maxFeePerGas: amount.optional().describe('EVM chains: the most to pay for each unit of gas, in wei'),
    maxPriorityFeePerGas: amount.optional().describe('EVM chains with a base fee: the part beside the base fee, in wei'),
    computeUnitPrice: amount.optional().describe('Solana: the price of a compute unit, in millionths of a lamport'),
    satoshisPerKilobyte: amount.optional().describe('Bitcoin: the price of 1,000 virtual bytes, in satoshis'),
    energyPrice: amount.optional().describe('Tron: the price of a unit of energy, in sun'),
    bandwidthPrice: amount.optional().describe('Tron: the price of a byte of bandwidth, in sun'),
  })
  .meta({ id: 'FeeSuggestion' });

export const getFeeSuggestion = defineQuery({
  name: 'getFeeSuggestion',
  path: 'get_fee_suggestion',
  subject: 'chains',
  summary: 'Get fees with which a transaction is likely to be included',
  reads: { resources: ['TOKEN'], always: 'WHOLE' },
  input: z.strictObject({ organizationId, caip2: chainName }),
  output: z.object({
    suggestions: z.array(suggestion).describe('From slow to fast. Tron has one price, so it is the same for all'),
  }),
});
