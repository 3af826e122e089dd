/** Runs the work under a named lock that all processes with the same database share. */
type WithLock = (name: string, work: () => Promise<void>) => Promise<void>;

/** Leases for nodes that count in the buckets of one organization. */
export interface UsageLeases {
  /** Whether a count was recently lost to another node. If so, counts need a lease. */
  isContended(organizationId: string): boolean;
  /** Records that a count was lost to another node. */
  lost(organizationId: string): void;
  /** Runs the work under the lease of this process, together with its other counts. `lease` is the same object for all of them. */
  take<T>(organizationId: string, work: (lease: object) => Promise<T>): Promise<T>;
}

/** How long counts need a lease after the last lost count. */
const CONTENDED_MS = 1_000;
/** Counts that arrive later than this wait for the next lease. It bounds how long other nodes wait, and one or two batches fit in. */
const LEASE_MS = 40;
/** Maximum wait for a lease. A node that hangs while holding the lease delays others by at most this long. */
const MAX_WAIT_MS = 2_000;
/** Maximum number of organizations tracked as contended. */
const MAX_CONTENDED = 10_000;

interface Lease {
  /** Undefined until the lease is acquired. */
  beganAtMs: number | undefined;
  readonly begun: Promise<void>;
  working: number;
  end(): void;
}

/**
 * Nodes that count in the same bucket make each other's commits fail: the loser has to reload the bucket, and the other node wins again in
 * that time. After a lost count, both nodes take a lease and count everything they have pending under it.
 * Leases are for fairness only. Correctness depends on the commits alone, so work proceeds even if no lease can be acquired.
 */
export function createUsageLeases(
  withLock: WithLock,
  nowMs: () => number = () => performance.now(),
  maxWaitMs = MAX_WAIT_MS,
): UsageLeases {
  const contendedUntil = new Map<string, number>();
  const leases = new Map<string, Lease>();

  function begin(organizationId: string): Lease {
    const [begun, ended] = [gate(), gate()];
    const lease: Lease = { beganAtMs: undefined, begun: begun.opened, working: 0, end: ended.open };
    const start = () => {
      lease.beganAtMs ??= nowMs();
      begun.open();
    };
    const timer = setTimeout(start, maxWaitMs);
    const work = () => {
      start();
      return ended.opened;
    };
    const over = () => {
      clearTimeout(timer);
      start();
    };
    withLock(`counts of ${organizationId}`, work).then(over, over);
    leases.set(organizationId, lease);
    return lease;
  }

  return {
    isContended(organizationId) {
      const until = contendedUntil.get(organizationId);
      if (until === undefined) return false;
      if (nowMs() < until) return true;
      contendedUntil.delete(organizationId);
      return false;
    },

    lost(organizationId) {
      if (contendedUntil.size >= MAX_CONTENDED) contendedUntil.clear();
      contendedUntil.set(organizationId, nowMs() + CONTENDED_MS);
    },

    async take(organizationId, work) {
      const open = leases.get(organizationId);
      const isOpen = open !== undefined && (open.beganAtMs === undefined || nowMs() - open.beganAtMs < LEASE_MS);
      const lease = isOpen ? open : begin(organizationId);
      lease.working++;
      try {
        await lease.begun;
        return await work(lease);
      } finally {
        lease.working--;
        if (lease.working === 0) {
          if (leases.get(organizationId) === lease) leases.delete(organizationId);
          lease.end();
        }
      }
    },
  };
}

function gate(): { readonly opened: Promise<void>; open(): void } {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
