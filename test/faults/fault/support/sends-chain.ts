import type { Caller } from '../../../support/caller.ts';
import type { RawDatabase } from '../../../support/raw-database.ts';
import type { Requests } from './sends-requests.ts';

/** What a check found. */
export interface SendsFound {
  /** Payments that the service acknowledged. */
  readonly payments: number;
  readonly cancelled: number;
  readonly violations: readonly string[];
}

/** A chain with its nodes, for servers that pay on it. */
export interface PaidChain {
  /** Settings of the servers. */
  readonly environment: Readonly<Record<string, string>>;
  /** Creates accounts that can pay. */
  prepare(root: Caller, accounts: number): Promise<void>;
  /** Makes one payment, perhaps replaces it, and remembers what the service acknowledged. */
  pay(requests: Requests): Promise<void>;
  /** How many payments clients replaced, or had something else spend the coins of. */
  readonly replaced: number;
  /** Waits until every payment is final, and compares all of them with the chain. */
  check(root: Caller, raw: RawDatabase): Promise<SendsFound>;
  close(): Promise<void>;
}

/** Longer than a process that was killed holds an account. */
export const FINAL_MS = 180_000;
export const finalStates: readonly string[] = ['COMPLETED', 'FAILED', 'CANCELLED'];

/** Every transaction that has no final state. */
export async function stillOpen(raw: RawDatabase): Promise<readonly string[]> {
  const open = await raw.all("SELECT id, state FROM sends WHERE state NOT IN ('COMPLETED', 'FAILED', 'CANCELLED')");
  return open.map(({ id, state }) => `${id} is still ${state}`);
}
