import { clockBehind, inWords, markAltered } from './clock-error.ts';
import type { ClockHighWater, RecordedTime } from './clock-high-water.ts';
import type { SystemClock } from './system-clock.ts';

/** The time of an installation. It never goes back, even if a machine's clock is set back or a process restarts. */
export interface ServiceClock {
  nowMs(): number;
  /** Like `nowMs`, for background work such as polling. Does not raise the high-water mark. */
  glanceMs(): number;
  /** How far the time is ahead of the system clock, because that clock was set back; 0 or less if it follows it. */
  aheadMs(): number;
  /** Resolves when no restart can repeat a time that `nowMs` has returned. Rejects if the mark cannot be written. */
  settled(): Promise<void>;
  /** Waits for a write in progress, and starts no other. */
  close(): Promise<void>;
}

/** Reports to the operator. An alarm needs a person. */
export interface ClockReports {
  warn(message: string): void;
  alarm(message: string): void;
}

/** The high-water mark covers times up to this much later. A new process starts after all of them. */
const RESERVE_MS = 2_000;
const REPORT_EVERY_MS = 60_000;
const RETRY_MS = 500;

/**
 * Opens the clock of a process. Throws ClockError if the machine's clock is too far behind the mark, or if the mark was altered.
 * INVARIANT: every returned time is below the durable mark + RESERVE_MS, at the latest before a commit that depends on it.
 */
export async function openServiceClock(
  highWater: ClockHighWater,
  system: SystemClock,
  { warn, alarm }: ClockReports,
): Promise<ServiceClock> {
  const stored = await highWater.read();
  if (stored !== undefined && stored.atMs === undefined) throw markAltered();
  /** The mark allows for times below it. */
  let coveredMs = stored?.atMs === undefined ? 0 : stored.atMs + RESERVE_MS;
  const flow = startFlow(system, coveredMs);
  if (flow.pace() === 'steady') throw clockBehind(flow.aheadMs());
  let givenMs = 0;
  let renewing: Promise<void> | undefined;
  let retryAtMs = Number.NEGATIVE_INFINITY;
  let closed = false;
  const reportedMs = new Map<(message: string) => void, number>();

  /** At most once a minute: the condition lasts until an operator acts. */
  function report(how: (message: string) => void, message: string): void {
    const elapsedMs = system.elapsedMs();
    if (elapsedMs - (reportedMs.get(how) ?? Number.NEGATIVE_INFINITY) < REPORT_EVERY_MS) return;
    reportedMs.set(how, elapsedMs);
    how(message);
  }

  function reportPace(): void {
    const pace = flow.pace();
    if (pace !== 'slow' && pace !== 'steady') return;
    const { message, fix } = clockBehind(flow.aheadMs());
    if (pace === 'slow') report(warn, `${message} Time runs at half speed until the clock has caught up. Check NTP.`);
    else report(alarm, `${message} Time continues from there. ${fix}`);
  }

  /** How much of the reserve must be left. Time that stands still uses none of it. */
  const leastLeftMs = () => (flow.pace() === 'still' ? 1 : RESERVE_MS / 2);

  function nowMs(): number {
    givenMs = flow.nowMs();
    if (renewing === undefined && coveredMs - givenMs < RESERVE_MS / 2) renewInBackground();
    return givenMs;
  }

  /** Callers do not wait for it: a commit waits for `settled`. */
  function renewInBackground(): void {
    if (coveredMs - givenMs >= leastLeftMs() || system.elapsedMs() < retryAtMs) return;
    renew().catch((error: Error) => {
      retryAtMs = system.elapsedMs() + RETRY_MS;
      report(warn, `The time could not be recorded in the database: ${error.message}`);
    });
  }

  function renew(): Promise<void> {
    if (closed) return Promise.resolve();
    renewing ??= noteTime().finally(() => {
      renewing = undefined;
    });
    return renewing;
  }

  async function noteTime(): Promise<void> {
    for (;;) {
      const mark = await highWater.read();
      const markedMs = mark === undefined ? 0 : follow(mark);
      const currentMs = flow.nowMs();
      reportPace();
      if (markedMs + RESERVE_MS - currentMs >= leastLeftMs()) {
        // Another process has raised the mark far enough. A mark far ahead covers more, but is read again as often as any other.
        coveredMs = Math.min(markedMs, currentMs) + RESERVE_MS;
        return;
      }
      // INVARIANT: for paused time the mark is the earliest one that covers it. Otherwise repeated restarts, each after the reserve of the
      // one before, would move time ahead.
      const atMs = flow.pace() === 'still' ? Math.max(system.nowMs(), currentMs - RESERVE_MS + 1, markedMs) : currentMs;
      if ((await highWater.raise(atMs, mark)) === atMs) {
        coveredMs = atMs + RESERVE_MS;
        return;
      }
    }
  }

  /** Follows a later time that another process recorded, within the bound. Returns the time of the mark, 0 for a foreign one. */
  function follow({ atMs }: RecordedTime): number {
    if (atMs === undefined) {
      report(alarm, `${markAltered().message} This node records its own time instead.`);
      return 0;
    }
    const aheadMs = atMs - system.nowMs();
    if (aheadMs <= MAX_BEHIND_MS) {
      flow.raiseTo(atMs);
    } else if (atMs > flow.nowMs() + RESERVE_MS) {
      const what = `Another node has recorded a time that is ${inWords(aheadMs)} ahead of this machine's clock.`;
      report(alarm, `${what} This node keeps its own time. Check the clocks of all nodes. ${clockBehind(aheadMs).fix}`);
    }
    return atMs;
  }

  reportPace();

  return {
    nowMs,
    glanceMs: flow.nowMs,
    aheadMs() {
      flow.nowMs();
      return flow.aheadMs();
    },
    async settled() {
      while (givenMs >= coveredMs && !closed) await renew();
    },
    async close() {
      closed = true;
      await renewing?.catch(() => undefined); // whoever asked for it was told
    },
  };
}

/** Up to this far ahead of the system clock, time stands still until that clock catches up. Further ahead it continues. */
const STILL_MS = 5_000;

/**
 * How far behind the installation a machine's clock may be. A later time that another process recorded is followed up to here.
 * A request may be this far ahead, so nodes within the bound accept each other's callers.
 */
export const MAX_BEHIND_MS = 300_000;

/** The pace of time: that of the system clock, or still, slow or steady after that clock was set back. */
type Pace = 'system' | 'still' | 'slow' | 'steady';

/** Time as one process tells it. It never goes back. */
interface Flow {
  nowMs(): number;
  /** How far the time is ahead of the system's clock; 0 or less if it follows that clock. */
  aheadMs(): number;
  pace(): Pace;
  /** Moves the time to a later one. */
  raiseTo(ms: number): void;
}

/** Starts at a time, or at the system's if that is later. */
export function startFlow(system: SystemClock, fromMs: number): Flow {
  let currentMs = Math.max(system.nowMs(), fromMs);
  /** When the time was last looked at, while it is ahead of the system's clock. */
  let lookedMs: number | undefined;

  const aheadMs = () => currentMs - system.nowMs();

  function nowMs(): number {
    const systemMs = system.nowMs();
    if (lookedMs === undefined && systemMs >= currentMs) {
      currentMs = systemMs;
      return currentMs;
    }
    const elapsedMs = system.elapsedMs();
    const passedMs = elapsedMs - (lookedMs ?? elapsedMs);
    lookedMs = elapsedMs;
    // How far ahead the time was at the last look, if the system's clock has gone on evenly since.
    const pace = paceOf(currentMs - systemMs + passedMs);
    if (pace === 'slow') currentMs += passedMs / 2;
    if (pace === 'steady') currentMs += passedMs;
    if (systemMs >= currentMs) {
      currentMs = systemMs;
      lookedMs = undefined;
    }
    return Math.floor(currentMs);
  }

  return {
    nowMs,
    aheadMs,
    pace: () => paceOf(aheadMs()),
    raiseTo(ms) {
      currentMs = Math.max(currentMs, ms);
    },
  };
}

function paceOf(aheadMs: number): Pace {
  if (aheadMs <= 0) return 'system';
  if (aheadMs <= STILL_MS) return 'still';
  // Slow time meets a clock that was set back a little. Beyond the bound a person decides, and until then nothing lives longer.
  return aheadMs <= MAX_BEHIND_MS ? 'slow' : 'steady';
}
