import { ServiceError } from '@countersign/contract';
import { z } from 'zod';
import type { ChainNamespace } from '../config/chain-endpoints.ts';
import type { ChainReader } from './chain-reads.ts';
import { NodeRejection } from './node-errors.ts';
import { hexQuantity, wholeNumber } from './quantities.ts';

/** Prices from slow to fast, by the names of the contract. */
type Prices = Readonly<Record<string, bigint>>;
type SuggestFees = (reader: ChainReader) => Promise<readonly [slow: Prices, normal: Prices, fast: Prices]>;

/** How fees are suggested, by CAIP-2 namespace. They are advice: policies and the maximum in a transaction limit what is paid. */
export const feeSuggestions: { readonly [Name in ChainNamespace]: SuggestFees } = {
  eip155: async (reader) => (await feeMarket(reader)) ?? same({ maxFeePerGas: await gasPrice(reader) }),

  solana: async (reader) => {
    const fees = await reader.call({
      method: 'getRecentPrioritizationFees',
      params: [[]],
      result: z.array(z.object({ prioritizationFee: wholeNumber })).max(1_000),
    });
    const sorted = fees.map(({ prioritizationFee }) => prioritizationFee).sort(ascending);
    return atSpeeds([0.25, 0.5, 0.9].map((part) => ({ computeUnitPrice: sorted[Math.floor(part * sorted.length)] ?? 0n })));
  },

  bip122: async (reader) => atSpeeds(await Promise.all([25, 6, 2].map((blocks) => bitcoinPrice(reader, blocks)))),

  tron: async (reader) => {
    const { chainParameter } = await reader.call({
      method: 'wallet/getchainparameters',
      params: {},
      result: z.object({ chainParameter: z.array(z.object({ key: z.string(), value: z.unknown() })).max(1_000) }),
    });
    const price = (name: string) => {
      const found = wholeNumber.safeParse(chainParameter.find(({ key }) => key === name)?.value);
      if (found.success) return found.data;
      throw noSuggestion(reader);
    };
    return same({ energyPrice: price('getEnergyFee'), bandwidthPrice: price('getTransactionFee') });
  },
};

/** EIP-1559. Undefined if the node does not know a history of fees. */
async function feeMarket(reader: ChainReader): Promise<readonly [Prices, Prices, Prices] | undefined> {
  const history = z.object({
    baseFeePerGas: z.array(hexQuantity).min(1).max(100),
    reward: z.array(z.array(hexQuantity).length(3)).max(100).nullish(),
  });
  try {
    const { baseFeePerGas, reward } = await reader.call({
      method: 'eth_feeHistory',
      params: ['0x5', 'latest', [10, 50, 90]],
      result: history,
    });
    // The last one is of the next block. It rises by at most one eighth with each block, so twice as much lasts for six full blocks.
    const base = baseFeePerGas.at(-1) as bigint;
    return atSpeeds(
      [0, 1, 2].map((column) => {
        const tips = (reward ?? []).map((block) => block[column] as bigint).sort(ascending);
        const maxPriorityFeePerGas = tips[Math.floor(tips.length / 2)] ?? 0n;
        return { maxFeePerGas: 2n * base + maxPriorityFeePerGas, maxPriorityFeePerGas };
      }),
    );
  } catch (error) {
    if (error instanceof ServiceError && error.cause instanceof NodeRejection) return undefined;
    throw error;
  }
}

const gasPrice = (reader: ChainReader) => reader.call({ method: 'eth_gasPrice', params: [], result: hexQuantity });

async function bitcoinPrice(reader: ChainReader, blocks: number): Promise<Prices> {
  const { feerate } = await reader.call({
    method: 'estimatesmartfee',
    params: [blocks],
    // Bitcoin per 1,000 virtual bytes. Absent while the node knows too little.
    result: z.object({ feerate: z.number().min(0).max(1).optional() }),
  });
  if (feerate === undefined) throw noSuggestion(reader);
  return { satoshisPerKilobyte: BigInt(Math.ceil(Number((feerate * 1e8).toFixed(3)))) };
}

function noSuggestion({ chain }: ChainReader): ServiceError {
  return new ServiceError('CHAIN_UNAVAILABLE', `The node of ${chain} knows too little to suggest a fee. Retry later.`, {
    retryAtMs: Date.now() + 60_000,
  });
}

const ascending = (one: bigint, other: bigint) => (one < other ? -1 : one > other ? 1 : 0);
const same = (prices: Prices) => [prices, prices, prices] as const;
const atSpeeds = (prices: readonly Prices[]) => prices as unknown as readonly [Prices, Prices, Prices];
