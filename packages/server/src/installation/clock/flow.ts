import type { SystemClock } from './system-clock.ts';

/** Up to this far ahead of the system clock, time stands still until that clock catches up. Further ahead it continues. */
const STILL_MS = 5_000;

/**
 * How far behind the installation a machine's clock may be. A later time that another process noted is followed up to here.
 * It is as far ahead as the time of a request may be, so nodes within the bound take each other's callers.
 */
export const MAX_BEHIND_MS = 300_000;

/** The pace of time: that of the system clock, or still, slow or steady after that clock was set back. */
export type Pace = 'system' | 'still' | 'slow' | 'steady';

/** Time as one process tells it. It never goes back. */
export interface Flow {
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
