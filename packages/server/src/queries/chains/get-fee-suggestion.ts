import { queries } from '@countersign/contract';
import { feeSuggestions } from '../../chain-nodes/fee-suggestions.ts';
import { resolve } from '../../pipeline/query.ts';
import { canonicalChain, chainEntry } from './caip2.ts';

const speeds = ['SLOW', 'NORMAL', 'FAST'] as const;

export const getFeeSuggestion = resolve(queries.getFeeSuggestion, async ({ chainReader }, { caip2 }) => {
  const chain = canonicalChain(caip2);
  chainEntry(chain);
  const reader = chainReader(chain);
  const prices = await feeSuggestions[reader.namespace](reader);
  return {
    suggestions: prices.map((each, index) => ({
      speed: speeds[index] as (typeof speeds)[number],
      ...Object.fromEntries(Object.entries(each).map(([name, price]) => [name, price.toString()])),
    })),
  };
});
