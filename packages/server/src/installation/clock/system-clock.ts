/** The two clocks of a machine. */
export interface SystemClock {
  /** The time of day, which may be set back or forth. */
  nowMs(): number;
  /** Monotonic milliseconds, independent of the time of day. */
  elapsedMs(): number;
}

export const systemClock: SystemClock = { nowMs: Date.now, elapsedMs: () => performance.now() };
