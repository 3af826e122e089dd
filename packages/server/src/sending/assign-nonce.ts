import { ServiceError } from '@countersign/contract';
import { nonceAfter, type SendRecord } from './send-record.ts';

/** What the nodes of a chain say about the nonces of an account. */
export interface NodeNonces {
  /** The number of its transactions in the newest block, on which all endpoints agree. */
  readonly latest: number;
  /** The same with the transactions that wait in the pool of a node: the highest number of any endpoint. */
  readonly pending: number;
}

/**
 * The nonce of the next transaction of an account: the lowest that neither the chain nor a transaction without a final state uses. So the
 * nonce of a transaction that no node accepted is used again, and gaps close.
 * SECURITY: D743: throws if the nodes do not know transactions of the account that are final.
 * SECURITY: D753: throws if a pool has a transaction with this nonce that the service does not wait for. It may be false, or be a payment that
 * the service reported as failed, and with a later nonce both would be made.
 */
export function nextNonce(
  { latest, pending }: NodeNonces,
  floor: number,
  active: readonly Pick<SendRecord, 'nonce' | 'nonces'>[],
): number {
  if (latest < floor) {
    throw new ServiceError(
      'CHAIN_DISAGREEMENT',
      `The nodes know ${latest} transactions of this account, but ${floor} of them are confirmed. They are behind, or of another chain. Nothing was signed.`,
    );
  }
  const used = new Set(
    active.flatMap((send) => Array.from({ length: nonceAfter(send) - send.nonce }, (_, at) => send.nonce + at)),
  );
  let free = latest;
  while (used.has(free)) free += 1;
  if (free >= pending) return free;
  throw new ServiceError(
    'CHAIN_DISAGREEMENT',
    `A node has a waiting transaction of this account with the nonce ${free}, which the service does not follow. Nothing was signed. Try again when it is in a block.`,
  );
}
