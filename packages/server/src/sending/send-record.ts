import type { GasSponsor } from '../config/gas-sponsors.ts';
import type { SendAccountRow, SendRow, SendState, Write } from '../store/rows.ts';
import type { SendAccountKey } from '../store/send-store.ts';
import { macsEqual } from '../vault/integrity/integrity.ts';
import type { Integrity } from '../vault/vault.ts';

/** The block that contains a transaction, as the nodes last reported. */
export interface SendBlock {
  readonly number: number;
  /** Absent on chains whose nodes name blocks by numbers only. */
  readonly hash?: string | undefined;
  /** Whether the execution failed. The fee is paid, and the nonce is used. */
  readonly isReverted: boolean;
}

/** How long blocks can contain a transaction that expires. */
export interface SendLifetime {
  /** No block before this one contains it. */
  readonly since: number;
  /** The last height, or time, at which a block can contain it. */
  readonly until: number;
}

/** A block by its number and hash. */
export type KnownBlock = Pick<SendBlock, 'number'> & { readonly hash: string };

/** What a sponsor sends to an account before a transaction of it is sent. Decided when that transaction is signed. */
export interface TopUp extends Pick<GasSponsor, 'organizationId' | 'userId' | 'signWith' | 'gasLimit'> {
  /** In wei. */
  readonly amount: string;
  /** Whether the account has it: the top-up is final. */
  readonly isPaid: boolean;
}

/** A transaction that the service sends. Its bytes never change. */
export interface SendRecord extends SendAccountKey {
  readonly id: string;
  readonly nonce: number;
  /** How many nonces it uses, from its own. 1 if absent. */
  readonly nonces?: number | undefined;
  readonly state: SendState;
  readonly revision: number;
  readonly activityId: string;
  /** What its caller named it, hashed. Empty without a name. */
  readonly requestKey: string;
  /** Hash of what makes another transaction the same one. Empty on chains with nonces, and in rows of earlier releases. */
  readonly bytesKey: string;
  /** How often its name was used within the log, with this one. Absent without a name, and in rows of earlier releases. */
  readonly nameUses?: number | undefined;
  readonly hash: string;
  /** The signed transaction in hexadecimal. */
  readonly signed: string;
  /** The most that it can take from the account, in the smallest unit. Absent where nodes answer for it before it is signed. */
  readonly maxCost?: string | undefined;
  /** Absent on chains where a transaction can wait forever. */
  readonly lifetime?: SendLifetime | undefined;
  /** The outputs that it spends, on chains where only one transaction can spend each: `<transaction id>:<number>`. */
  readonly spends?: readonly string[] | undefined;
  /** The newest block when the nodes first reported that something else spent one of them. */
  readonly spentAt?: KnownBlock | undefined;
  /** How often it was handed to the nodes. Counted before the nodes are called. */
  readonly attempts: number;
  /** Whether a node accepted it, or may have. Then only the chain decides what becomes of it. */
  readonly isOut: boolean;
  readonly block?: SendBlock | undefined;
  readonly confirmations: number;
  readonly lastError?: string | undefined;
  /** Why its final state is FAILED, CANCELLED or UNKNOWN. */
  readonly failure?: string | undefined;
  /** The id of the transaction with the same nonce that it replaces. */
  readonly replaces?: string | undefined;
  /** The hash of the transaction of the service that used the nonce. */
  readonly replacedBy?: string | undefined;
  /** The id of that transaction. */
  readonly replacedById?: string | undefined;
  /** It replaces another one, and pays nobody. */
  readonly isCancellation?: true | undefined;
  /** What a sponsor sends to the account before it. Absent if the account lacked nothing. */
  readonly topUp?: TopUp | undefined;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** An account that the service sends from, on one chain. */
export interface SendAccount extends SendAccountKey {
  readonly revision: number;
  /** All nonces below are used by transactions with a final state. */
  readonly floor: number;
  readonly mac: Uint8Array;
}

/** A transaction that waits for its top-up. */
export type WaitingSend = SendRecord & { readonly topUp: TopUp };

/** Whether a transaction waits for its top-up. No node has it. */
export const waitsForTopUp = (send: SendRecord): send is WaitingSend =>
  send.state === 'INITIALIZED' && send.topUp?.isPaid === false;

const finalStates: ReadonlySet<SendState> = new Set(['COMPLETED', 'FAILED', 'CANCELLED', 'UNKNOWN']);

/** Whether the state can no longer change. */
export function isFinal({ state }: Pick<SendRecord, 'state'>): boolean {
  return finalStates.has(state);
}

/** The final state of a transaction that expired long ago, and of which the nodes cannot tell whether it was executed before. */
export function neverKnown(send: SendRecord, reason: string): SendRecord {
  const failure = `It expired, and it is not known whether it was executed: ${reason}. It may have been paid. Look for ${send.hash} in an explorer or an archive of the chain before you pay again.`;
  return { ...send, state: 'UNKNOWN', block: undefined, confirmations: 0, failure, lastError: undefined };
}

/** The first nonce after those of a transaction. */
export function nonceAfter({ nonce, nonces = 1 }: Pick<SendRecord, 'nonce' | 'nonces'>): number {
  return nonce + nonces;
}

type SendFields = Omit<SendRow, 'mac'>;

function sendMac(
  integrity: Integrity,
  { organizationId, id, chain, account, nonce, state, revision, body, requestKey, bytesKey }: SendFields,
) {
  // Rows of earlier releases lack the keys, and their MACs cover the other fields.
  const keys = bytesKey !== '' ? [requestKey, bytesKey] : requestKey !== '' ? [requestKey] : [];
  const content = JSON.stringify([chain, account, nonce, state, body, ...keys]);
  return integrity.row('sends', organizationId, 'send', id, revision, content);
}

/** The row of a transaction. INVARIANT: its MAC covers its state, so nobody who can write the database can report a payment as made. */
export function sendWrite(integrity: Integrity, record: SendRecord): Write {
  const { organizationId, id, chain, account, nonce, state, revision, requestKey, bytesKey, ...body } = record;
  const fields = { organizationId, id, chain, account, nonce, state, revision, requestKey, bytesKey, body: JSON.stringify(body) };
  return { op: 'put', table: 'sends', row: { ...fields, mac: sendMac(integrity, fields) } };
}

/** Verifies and parses a row. Undefined if this installation did not write it. */
export function readSend(integrity: Integrity, row: SendRow): SendRecord | undefined {
  if (!macsEqual(sendMac(integrity, row), row.mac)) return undefined;
  const { mac: _, body, ...fields } = row;
  return { ...fields, ...(JSON.parse(body) as Omit<SendRecord, keyof SendRow>) };
}

type AccountFields = Omit<SendAccountRow, 'mac' | 'dueAtMs'>;

function accountMac(integrity: Integrity, { organizationId, chain, account, revision, body }: AccountFields) {
  return integrity.row('send_accounts', organizationId, chain, account, revision, body);
}

/** The row of an account at its next revision. */
export function accountWrite(
  integrity: Integrity,
  { organizationId, chain, account }: SendAccountKey,
  { revision, floor, dueAtMs }: Pick<SendAccount, 'revision' | 'floor'> & { readonly dueAtMs: number },
): Write {
  const fields = { organizationId, chain, account, revision, body: JSON.stringify({ floor }) };
  return { op: 'put', table: 'send_accounts', row: { ...fields, mac: accountMac(integrity, fields), dueAtMs } };
}

/** Verifies and parses a row. Undefined if this installation did not write it. */
export function readAccount(integrity: Integrity, row: SendAccountRow): SendAccount | undefined {
  if (!macsEqual(accountMac(integrity, row), row.mac)) return undefined;
  const { organizationId, chain, account, revision, mac, body } = row;
  return { organizationId, chain, account, revision, mac, floor: (JSON.parse(body) as { floor: number }).floor };
}
