const FIRST_MS = 1_000;
const LONGEST_MS = 5 * 60_000;

/**
 * Delay after this many failed attempts: one second, doubled each time, at most five minutes. Random jitter spreads the retries of messages
 * that failed together.
 */
export function backOffMs(attempts: number, random: () => number = Math.random): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempts - 1, 20));
  return Math.round(full / 2 + (full / 2) * random());
}
