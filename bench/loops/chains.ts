import { defaultTokens } from '@countersign/chains';
import { parserEngines } from '../../packages/server/src/auth/parser-engines.ts';
import type { Loop } from './loop.ts';
import { readTransactions, type Transaction } from './transactions.ts';

/** The name of a transaction's loop. */
export function chainLoopName({ type, name }: Transaction): string {
  return `${type.id}: ${name}`;
}

/** One loop per transaction: from the text in a request to the vault's signing requests. */
export function chainLoops(): readonly Loop[] {
  return readTransactions().map((transaction) => {
    const { type, unsigned, signer, interfaces } = transaction;
    const context = { signer, interfaces, tokens: defaultTokens, ...parserEngines };
    return {
      name: chainLoopName(transaction),
      once: () => void type.signingRequests(type.parse(unsigned, context), signer, context),
    };
  });
}
