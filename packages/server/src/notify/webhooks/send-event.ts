import { toTimestamp } from '../../organizations/views.ts';

/** The type of events about transactions that the service sends. */
export const SENDS = 'SEND_TRANSACTION_STATUS_UPDATES';

/** A new state of a transaction that the service sends. */
export interface SendUpdate {
  readonly organizationId: string;
  readonly id: string;
  readonly revision: number;
  readonly activityId: string;
  readonly chain: string;
  readonly account: string;
  readonly nonce: number;
  readonly state: string;
  readonly hash: string;
  readonly failure?: string | undefined;
  readonly replaces?: string | undefined;
  readonly replacedBy?: string | undefined;
  readonly replacedById?: string | undefined;
  readonly updatedAtMs: number;
}

/** The body of an event. Names are those of `get_send_transaction_status`. */
export function sendEventBody(update: SendUpdate): string {
  const { organizationId, id, activityId, chain, account, state, hash, failure, replaces, replacedBy, replacedById } = update;
  return JSON.stringify({
    type: SENDS,
    organizationId,
    sendTransactionStatusId: id,
    activityId,
    chain,
    from: account,
    txStatus: state,
    txHash: hash,
    txError: failure,
    replaces,
    replacedBy,
    replacedById,
    updatedAt: toTimestamp(update.updatedAtMs),
  });
}

/** The event type of a stored body. A service writes both kinds, and each begins with what only it contains. */
export function eventTypeOf(body: string): string {
  return body.startsWith(`{"type":"${SENDS}"`) ? SENDS : 'ACTIVITY_UPDATES';
}
