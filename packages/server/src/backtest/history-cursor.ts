import { type JudgedKey, type JudgedWallet, type PastChange, PastOrganization } from '@countersign/judgement';
import type { Resources } from '../organizations/snapshot/resources.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';
import type { History } from './history-reader.ts';
import { compareTimestamps, type Timestamp } from './timestamp.ts';

/** The history of an organization is contradictory or incomplete. */
export class HistoryError extends Error {
  override readonly name = 'HistoryError';
}

/** Walks through the history of an organization. Steps forward are cheap; a step back restarts from the beginning. */
export class HistoryCursor {
  readonly #history: History;
  #organization: PastOrganization;
  /** Number of changes applied. */
  #applied = 0;

  constructor(history: History) {
    this.#history = history;
    this.#organization = this.#begin();
  }

  /** The organization immediately before a decision. */
  at(timestamp: Timestamp): PastOrganization {
    const { changes } = this.#history;
    const last = changes[this.#applied - 1];
    if (last !== undefined && compareTimestamps(last.timestamp, timestamp) >= 0) {
      this.#organization = this.#begin();
      this.#applied = 0;
    }
    const due: PastChange[] = [];
    for (let next = changes[this.#applied]; next !== undefined; next = changes[this.#applied]) {
      if (compareTimestamps(next.timestamp, timestamp) >= 0) break;
      due.push(...next.changes);
      this.#applied += 1;
    }
    if (due.length > 0) this.#organization.apply(due);
    return this.#organization;
  }

  #begin(): PastOrganization {
    const organization = new PastOrganization(this.#history.organizationId, (what) => new HistoryError(what));
    organization.apply(this.#history.base);
    return organization;
  }
}

/** Past wallets and keys. Falls back to the current ones for those created before changes were stored, unless they changed since. */
export class PastKeys {
  readonly #resources: Resources;
  readonly #now: Snapshot;

  constructor(resources: Resources, now: Snapshot) {
    this.#resources = resources;
    this.#now = now;
  }

  /** The key that a signature was requested with, and its wallet. Throws HistoryError if it is unknown. */
  async signingKey(
    past: Pick<PastOrganization, 'signingKey' | 'wallet'>,
    signWith: string,
    atMs: number,
  ): Promise<{ readonly key: JudgedKey; readonly wallet?: JudgedWallet }> {
    const key = past.signingKey(signWith) ?? unchanged(await this.#keyOfNow(signWith), atMs);
    if (key === undefined) throw new HistoryError(`the key ${signWith} of then is not known`);
    if (key.kind === 'privateKey') return { key };
    const { walletId } = key.body;
    const wallet = past.wallet(walletId) ?? unchanged(await this.#resources.get(this.#now.id, 'wallet', walletId), atMs);
    if (wallet === undefined) throw new HistoryError(`the wallet ${walletId} of then is not known`);
    return { key, wallet };
  }

  async #keyOfNow(signWith: string): Promise<JudgedKey | undefined> {
    return this.#resources.signingKey(this.#now, signWith).catch(() => undefined);
  }
}

function unchanged<T extends { readonly body: { readonly updatedAtMs: number } }>(
  found: T | undefined,
  atMs: number,
): T | undefined {
  return found !== undefined && found.body.updatedAtMs <= atMs ? found : undefined;
}
