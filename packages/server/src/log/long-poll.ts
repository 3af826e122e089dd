import { ServiceError } from '@countersign/contract';
import type { Store } from '../store/store.ts';

/** The parameters of a wait. */
export interface Waiter {
  /** The user who waits, and that user's own organization. */
  readonly userId: string;
  readonly homeId: string;
  /** The organization whose steps are awaited. */
  readonly organizationId: string;
  /** The number of the first step that is not known yet. */
  readonly from: number;
  readonly ms: number;
  /** Whether the client disconnected. */
  isGone(): boolean;
}

/** One request that waits. */
export interface Wait {
  /** True if there may be a new step. False on timeout, disconnection or shutdown. */
  next(): Promise<boolean>;
  end(): void;
}

/** Requests that wait for the next step of an organization. */
export interface LongPoll {
  /** Counts from now on, so nothing that happens between this and `next` is missed. Throws RATE_LIMIT_EXCEEDED for one too many. */
  begin(waiter: Waiter): Wait;
  /** This process committed a step of the organization. */
  notify(organizationId: string): void;
  /** Ends all waits, and rejects new ones from now on. */
  drain(): void;
  /** How many wait. */
  size(): number;
}

/** Limits of one process. A browser has a few pages open, and an organization as many users as its limit says. */
const MAX_OF_USER = 16;
const MAX_OF_ORGANIZATION = 256;
/** How often to look for steps of other processes. */
const POLL_MS = 500;
/** Batches steps: each response makes the log grow by a durable transaction, which must not slow signing. */
const GATHER_MS = 100;
/** How often the waiters of one organization are woken at most. */
const LEAST_PAUSE_MS = 250;
/** Queue entries per poll. A longer queue appears in the heads at the next poll. */
const QUEUE_LOOK = 256;

interface Waiting extends Waiter {
  readonly untilMs: number;
  /** Whether something happened since the last look. */
  notified: boolean;
  wake?: () => void;
}

/** How many requests of each user and of each organization wait. */
class WaitCounts {
  readonly #counts = new Map<string, number>();

  add(homeId: string, userId: string, by: number): void {
    for (const key of [homeId, `${homeId}/${userId}`]) {
      const next = (this.#counts.get(key) ?? 0) + by;
      if (next === 0) this.#counts.delete(key);
      else this.#counts.set(key, next);
    }
  }

  /** SECURITY: D194: a user gets a small share of the waits of an organization, and each organization has its own share. */
  requireRoom(homeId: string, userId: string): void {
    this.#require(`${homeId}/${userId}`, MAX_OF_USER, 'user');
    this.#require(homeId, MAX_OF_ORGANIZATION, 'organization');
  }

  #require(key: string, limit: number, of: string): void {
    if ((this.#counts.get(key) ?? 0) < limit) return;
    throw new ServiceError(
      'RATE_LIMIT_EXCEEDED',
      `Too many requests of this ${of} are waiting (at most ${limit}). Send the request without waitSeconds, or retry after the time in Retry-After.`,
      { retryAtMs: Date.now() + 1000 },
    );
  }
}

/** A commit of this process notifies the waiters. One poll for all waiters finds the commits of other processes. */
export function createLongPoll(
  store: Pick<Store['log'], 'heads' | 'queuedOrganizations'>,
  nowMs: () => number = () => performance.now(),
): LongPoll {
  const byOrganization = new Map<string, Set<Waiting>>();
  const counts = new WaitCounts();
  const wakes = new Map<string, NodeJS.Timeout>();
  const wokenAtMs = new Map<string, number>();
  let polling: NodeJS.Timeout | undefined;
  let isLooking = false;
  let draining = false;
  let size = 0;

  function wake(waiting: Waiting): void {
    waiting.notified = true;
    waiting.wake?.();
  }

  /** A notified client asks again immediately, so this outlives the waiter. */
  function recordWake(organizationId: string): void {
    const now = nowMs();
    wokenAtMs.delete(organizationId);
    wokenAtMs.set(organizationId, now);
    for (const [id, atMs] of wokenAtMs) {
      if (now - atMs < LEAST_PAUSE_MS) break;
      wokenAtMs.delete(id);
    }
  }

  /** Wakes the waiters of an organization soon. */
  function notify(organizationId: string): void {
    if (!byOrganization.has(organizationId) || wakes.has(organizationId)) return;
    const pauseMs = Math.max(GATHER_MS, (wokenAtMs.get(organizationId) ?? Number.NEGATIVE_INFINITY) + LEAST_PAUSE_MS - nowMs());
    const timer = setTimeout(() => {
      wakes.delete(organizationId);
      recordWake(organizationId);
      for (const waiting of byOrganization.get(organizationId) ?? []) wake(waiting);
    }, pauseMs);
    wakes.set(organizationId, timer.unref());
  }

  /** Ends the waits that timed out or whose client disconnected. */
  function endOverdue(): void {
    const now = nowMs();
    for (const waiters of byOrganization.values())
      for (const waiting of waiters) if (now >= waiting.untilMs || waiting.isGone()) waiting.wake?.();
  }

  async function findStepsOfOthers(): Promise<void> {
    const ids = [...byOrganization.keys()];
    const queued = new Set(await store.queuedOrganizations(QUEUE_LOOK));
    const heads = new Map((await store.heads(ids)).map(({ organizationId, sequence }) => [organizationId, sequence]));
    for (const id of ids) {
      const reached = heads.get(id) ?? 0;
      const isNews = queued.has(id) || [...(byOrganization.get(id) ?? [])].some(({ from }) => reached >= from);
      if (isNews) notify(id);
    }
  }

  function poll(): void {
    endOverdue();
    if (isLooking) return;
    isLooking = true;
    findStepsOfOthers()
      // The database does not respond. Waiters time out, and readiness reports the failure.
      .catch(() => undefined)
      .finally(() => {
        isLooking = false;
      });
  }

  function leave(waiting: Waiting): void {
    const { organizationId, homeId, userId } = waiting;
    const waiters = byOrganization.get(organizationId);
    if (waiters?.delete(waiting) !== true) return;
    size -= 1;
    counts.add(homeId, userId, -1);
    waiting.wake?.();
    if (waiters.size > 0) return;
    byOrganization.delete(organizationId);
    clearTimeout(wakes.get(organizationId));
    wakes.delete(organizationId);
    if (byOrganization.size > 0) return;
    clearInterval(polling);
    polling = undefined;
  }

  return {
    begin(waiter) {
      const { homeId, userId, organizationId } = waiter;
      counts.requireRoom(homeId, userId);
      counts.add(homeId, userId, 1);
      size += 1;
      const waiting: Waiting = { ...waiter, untilMs: nowMs() + waiter.ms, notified: false };
      const waiters = byOrganization.get(organizationId) ?? new Set();
      byOrganization.set(organizationId, waiters.add(waiting));
      polling ??= setInterval(poll, POLL_MS).unref();
      return {
        async next() {
          if (!waiting.notified && !draining && nowMs() < waiting.untilMs) {
            await new Promise<void>((resolve) => {
              waiting.wake = resolve;
            });
            delete waiting.wake;
          }
          const isNews = waiting.notified && !draining && !waiting.isGone();
          waiting.notified = false;
          return isNews;
        },
        end: () => leave(waiting),
      };
    },
    notify,
    drain() {
      draining = true;
      for (const waiters of byOrganization.values()) for (const waiting of waiters) waiting.wake?.();
    },
    size: () => size,
  };
}
