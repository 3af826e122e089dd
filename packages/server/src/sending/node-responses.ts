import { ServiceError } from '@countersign/contract';
import type { Answer, ChainClient } from '../chain-nodes/chain-client.ts';

/** The responses of endpoints. Throws CHAIN_UNAVAILABLE if fewer than two of several give one. */
export function responsesOf<T>({ chain, endpoints }: ChainClient, what: string, answers: readonly Answer<T>[]): readonly T[] {
  const values = answers.flatMap((answer) => (answer.status === 'ok' ? [answer.value] : []));
  if (values.length >= Math.min(2, endpoints)) return values;
  const reasons = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.rejection.message] : []));
  throw new ServiceError(
    'CHAIN_UNAVAILABLE',
    `Too few endpoints of ${chain} give ${what}${reasons.length === 0 ? '' : ` (${reasons[0]})`}. Retry later.`,
  );
}
