import type { CountedUsage } from '../log/entry.ts';
import type { Write } from '../store/rows.ts';
import type { SendAccountClaim, SendAccountHead, SendAccountKey } from '../store/send-store.ts';
import type { Integrity } from '../vault/vault.ts';
import { keysToLog } from './logged-keys.ts';
import { accountWrite, type SendRecord, sendWrite } from './send-record.ts';

/** A signed transaction that an activity hands over to the sender. */
export interface NewSend
  extends SendAccountKey,
    Pick<
      SendRecord,
      | 'id'
      | 'nonce'
      | 'nonces'
      | 'hash'
      | 'signed'
      | 'maxCost'
      | 'lifetime'
      | 'spends'
      | 'replaces'
      | 'isCancellation'
      | 'topUp'
      | 'requestKey'
      | 'bytesKey'
      | 'nameUses'
    > {
  /** The account as it was when the nonce was assigned. */
  readonly expected: SendAccountHead | undefined;
  readonly floor: number;
  /** The id of the last transaction with its name, if the log has it. */
  readonly namedBefore: string | undefined;
}

/** What a commit writes for a transaction, and the account that it depends on. */
export interface CommittedSend {
  readonly claim: SendAccountClaim;
  readonly writes: readonly Write[];
  /** What its log entry says about its name and its bytes. */
  readonly keys: readonly CountedUsage[];
}

/**
 * INVARIANT: D741: a nonce is assigned in the commit of its activity, together with the signed bytes. So an acknowledged request is always
 * sent, a rejected one never, and no two transactions of the service get the same nonce by accident.
 */
export function commitSend(
  integrity: Integrity,
  { expected, floor, namedBefore, ...send }: NewSend,
  { id: activityId, updatedAtMs }: { readonly id: string; readonly updatedAtMs: number },
): CommittedSend {
  const { organizationId, chain, account } = send;
  const record: SendRecord = {
    ...send,
    state: 'INITIALIZED',
    revision: 1,
    activityId,
    attempts: 0,
    isOut: false,
    confirmations: 0,
    createdAtMs: updatedAtMs,
    updatedAtMs,
  };
  const next = { revision: (expected?.revision ?? 0) + 1, floor, dueAtMs: updatedAtMs };
  return {
    claim: { organizationId, chain, account, expected },
    writes: [sendWrite(integrity, record), accountWrite(integrity, send, next)],
    keys: keysToLog(integrity, organizationId, send, namedBefore),
  };
}
