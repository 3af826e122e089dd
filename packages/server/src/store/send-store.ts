import type { Page } from './page.ts';
import type { RowKeys, SendAccountRow, SendRow, Write } from './rows.ts';

/** An account that a commit or a change depends on, at the revision that the decision was based on. */
export interface SendAccountClaim extends SendAccountKey {
  /** Undefined if the account has no row. */
  readonly expected: SendAccountHead | undefined;
}

export type SendAccountKey = RowKeys['send_accounts'];

/** Two heads are equal only if both parts are; see `Head`. */
export type SendAccountHead = Pick<SendAccountRow, 'revision' | 'mac'>;

/** What the sender changes at once: states of transactions of one account, its row, and the events about them. */
export interface SendChange extends SendAccountKey {
  /** The revisions at which the transactions are stored. */
  readonly expected: readonly Pick<SendRow, 'id' | 'revision'>[];
  /** The revision at which the account is stored. Absent if its row does not change. */
  readonly accountRevision?: number;
  readonly writes: readonly Write[];
}

/** Which accounts to claim. */
export interface SendClaim {
  readonly chain: string;
  readonly nowMs: number;
  readonly leaseMs: number;
  readonly limit: number;
  /** Accounts of one tenant at most. */
  readonly perTenant: number;
  /** Tenants whose accounts are not claimed. */
  readonly except: readonly string[];
}

/** A claimed account with its top-level organization. */
export interface ClaimedAccount extends SendAccountRow {
  readonly tenantId: string;
}

/** Which transactions to list. Absent parts exclude nothing. */
export interface SendFilter {
  readonly chain?: string;
  readonly account?: string;
}

/** A number of transactions in one state. */
export type SendCounts = Readonly<Record<'INITIALIZED' | 'BROADCASTING' | 'INCLUDED', number>>;

/** Transactions that the service sends. Commits add them; `change` follows them on their chain. */
export interface SendStore {
  get(organizationId: string, id: string): Promise<SendRow | undefined>;
  /** The newest transaction with a request key. */
  byRequestKey(organizationId: string, requestKey: string): Promise<SendRow | undefined>;
  /** The newest transaction with a key of its bytes. */
  byBytesKey(organizationId: string, bytesKey: string): Promise<SendRow | undefined>;
  /** Transactions with a name or a key of their bytes, by id from the one after `after`. */
  keyed(organizationId: string, after: string, limit: number): Promise<readonly SendRow[]>;
  /** One page of transactions, newest first. */
  page(organizationId: string, filter: SendFilter, page: Page): Promise<readonly SendRow[]>;
  account(key: SendAccountKey): Promise<SendAccountRow | undefined>;
  /** Transactions of an account that have no final state, by nonce, then by id. */
  active(key: SendAccountKey): Promise<readonly SendRow[]>;
  /**
   * Accounts of a chain that are due. Tenants take turns, each with its longest due accounts. No other node gets the claimed ones for `leaseMs`.
   */
  claim(claim: SendClaim): Promise<readonly ClaimedAccount[]>;
  /** Ends a claim. Does nothing if the account was claimed again or has a new transaction. */
  release(claimed: Pick<SendAccountRow, keyof SendAccountKey | 'dueAtMs'>, nextDueAtMs: number): Promise<void>;
  /** One durable transaction. Returns false, and changes nothing, if a row is not stored at its expected revision. */
  change(change: SendChange): Promise<boolean>;
  /** Transactions without a final state, each state counted up to `most`. For metrics. */
  counts(most: number): Promise<SendCounts>;
}
