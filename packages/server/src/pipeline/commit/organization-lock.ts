import { ServiceError } from '@countersign/contract';

/** Runs tasks of one organization sequentially, and tasks of different organizations concurrently. */
export interface OrganizationLock {
  /**
   * Rejects with UNAVAILABLE without running the task if the lock is not free in time. After an attempt that `lost` to another node, nodes
   * take turns for a while.
   */
  run<T>(organizationId: string, task: () => Promise<T>, lost?: boolean): Promise<T>;
}

export interface LockServices {
  /** Runs a task under a lock that all processes on the same database share, and that they get in the order of their requests. */
  lockNodes(organizationId: string, task: () => Promise<void>): Promise<void>;
  /** Reads what other processes changed. Returns whether they changed anything. */
  refresh(organizationId: string): Promise<boolean>;
  /** How long a task waits for the lock. The client is still waiting for the response by then. */
  readonly timeoutMs: number;
  readonly nowMs?: () => number;
}

/** How long nodes take turns after the last sign that another one changes the organization too. */
const CONTENDED_MS = 5_000;
/** A turn ends after this long, but not before it had some tasks: on a slow machine it would have one, and cost as much as the task. */
const TURN_MS = 40;
const TURN_TASKS = 4;
/** Maximum number of organizations known to be contended. */
const MAX_CONTENDED = 10_000;

interface Turn {
  readonly beganAtMs: number;
  tasks: number;
  end(): void;
}

/**
 * A change that another node preceded was made in vain, and costs as much as one that is taken. So after a lost change, a process waits
 * for its turn, reads what others changed, and makes all changes that are queued in it before it ends its turn.
 * INVARIANT: turns only decide who goes first. A commit is taken on the stored version alone, with or without a turn. So a process that
 * dies or hangs in its turn, or loses it, costs others time and nothing else.
 */
export function createOrganizationLock(services: LockServices): OrganizationLock {
  const { lockNodes, refresh, timeoutMs, nowMs = () => performance.now() } = services;
  const tails = new Map<string, Promise<unknown>>();
  const turns = new Map<string, Turn>();
  const contendedUntil = new Map<string, number>();

  function noteContended(organizationId: string): void {
    if (contendedUntil.size >= MAX_CONTENDED) contendedUntil.clear();
    contendedUntil.set(organizationId, nowMs() + CONTENDED_MS);
  }

  function isContended(organizationId: string): boolean {
    const until = contendedUntil.get(organizationId);
    if (until === undefined) return false;
    if (nowMs() < until) return true;
    contendedUntil.delete(organizationId);
    return false;
  }

  function endTurn(organizationId: string): void {
    turns.get(organizationId)?.end();
    turns.delete(organizationId);
  }

  /** Resolves when it is the turn of this process. Rejects if the lock cannot be had. */
  async function beginTurn(organizationId: string): Promise<void> {
    await new Promise<void>((begin, reject) => {
      const untilEnd = () =>
        new Promise<void>((end) => {
          turns.set(organizationId, { beganAtMs: nowMs(), tasks: 1, end });
          begin();
        });
      // A lock that cannot be released, or is lost during the turn, is free for others.
      lockNodes(organizationId, untilEnd).then(begin, reject);
    });
    if (await refresh(organizationId)) noteContended(organizationId);
  }

  async function inTurn<T>(organizationId: string, task: () => Promise<T>): Promise<T> {
    const turn = turns.get(organizationId);
    if (turn !== undefined && turn.tasks++ >= TURN_TASKS && nowMs() - turn.beganAtMs >= TURN_MS) endTurn(organizationId);
    if (!turns.has(organizationId) && isContended(organizationId)) await beginTurn(organizationId);
    return task();
  }

  return {
    async run(organizationId, task, lost = false) {
      if (lost) noteContended(organizationId);
      const before = tails.get(organizationId) ?? Promise.resolve();
      const since = nowMs();
      const runInTime = () => {
        if (nowMs() - since <= timeoutMs) return inTurn(organizationId, task);
        throw new ServiceError(
          'UNAVAILABLE',
          'Too many changes of this organization are queued. Nothing was executed; send the same request again.',
        );
      };
      // The failure of a task belongs to its own caller, not to the next one.
      const own = before.catch(() => {}).then(runInTime);
      tails.set(organizationId, own);
      try {
        return await own;
      } finally {
        if (tails.get(organizationId) === own) {
          tails.delete(organizationId);
          endTurn(organizationId);
        }
      }
    },
  };
}
