import type { NodeShares } from '../chain-nodes/node-shares.ts';
import type { ClaimedAccount, SendClaim } from '../store/send-store.ts';

/** Accounts of one chain at a time. */
const MAX_ACCOUNTS = 16;
/** Accounts of one tenant in one claim. A tenant with as many gets no more until one is done. */
const PER_TENANT = 3;

/**
 * The accounts of one chain that this process brings forward, and which ones may come next.
 * SECURITY: D901: each chain has its own places, so the nodes of one that do not respond keep no place of another, and each tenant has few of
 * them. So a tenant with hundreds of accounts, or with slow ones, does not make others wait.
 */
export class Turns {
  readonly chain: string;
  readonly #shares: Pick<NodeShares, 'waitMs'>;
  readonly #running = new Map<string, number>();
  /** Tenants that used up their share, until it has recovered. */
  readonly #pausedUntilMs = new Map<string, number>();
  #count = 0;
  #isHeldBack = false;

  constructor(chain: string, shares: Pick<NodeShares, 'waitMs'>) {
    this.chain = chain;
    this.#shares = shares;
  }

  /** What to claim now. Undefined if every place is taken. */
  next(nowMs: number): Pick<SendClaim, 'chain' | 'limit' | 'perTenant' | 'except'> | undefined {
    const limit = MAX_ACCOUNTS - this.#count;
    this.#isHeldBack = limit === 0;
    if (limit === 0) return undefined;
    for (const [tenantId, untilMs] of this.#pausedUntilMs) if (untilMs <= nowMs) this.#pausedUntilMs.delete(tenantId);
    const busy = [...this.#running].filter(([, running]) => running >= PER_TENANT).map(([tenantId]) => tenantId);
    this.#isHeldBack = busy.length > 0;
    return { chain: this.chain, limit, perTenant: PER_TENANT, except: [...new Set([...busy, ...this.#pausedUntilMs.keys()])] };
  }

  begin({ tenantId }: Pick<ClaimedAccount, 'tenantId'>): void {
    this.#count += 1;
    this.#running.set(tenantId, (this.#running.get(tenantId) ?? 0) + 1);
    this.#isHeldBack ||= this.#count === MAX_ACCOUNTS;
  }

  /** Returns whether an account may have waited for this one. */
  end({ tenantId }: Pick<ClaimedAccount, 'tenantId'>, nowMs: number): boolean {
    this.#count -= 1;
    const left = (this.#running.get(tenantId) ?? 1) - 1;
    if (left === 0) this.#running.delete(tenantId);
    else this.#running.set(tenantId, left);
    const waitMs = this.#shares.waitMs(tenantId);
    if (waitMs > 0) this.#pausedUntilMs.set(tenantId, nowMs + waitMs);
    return this.#isHeldBack;
  }
}
