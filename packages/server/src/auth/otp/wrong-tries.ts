import type { WrongTriesRecord } from '../../organizations/records.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Wrong tries without a wait: three codes allow as many. */
const FREE = 9;
const FIRST_WAIT_MS = 15_000;
const LONGEST_WAIT_MS = DAY_MS;
/** From here on the wait would be longer than the longest. */
const MAX_LEVEL = 22;

type Level = Pick<WrongTriesRecord, 'level' | 'failedAtMs'>;

/**
 * The number of wrong tries that count at a time: one is forgiven each day.
 * INVARIANT: in the long run a caller gets at most one try a day beyond the free ones.
 */
function levelAt({ level, failedAtMs }: Level, nowMs: number): number {
  return Math.max(0, level - Math.max(0, nowMs - failedAtMs) / DAY_MS);
}

/** The level after one more wrong try. */
export function failedAgain(before: Level | undefined, nowMs: number): Level {
  const level = before === undefined ? 0 : levelAt(before, nowMs);
  return { level: Math.min(MAX_LEVEL, level + 1), failedAtMs: nowMs };
}

/**
 * The level without the wrong tries of a code that was entered correctly later.
 * SECURITY: other tries still count. Otherwise each sign-in of the owner would reset the level of an attacker.
 */
export function takenBack({ level, failedAtMs }: Level, tries: number): Level {
  return { level: Math.max(0, level - tries), failedAtMs };
}

/** Until when no code may be tried: a time that may be past. Each wrong try beyond the free ones doubles the wait. */
export function waitsUntilMs({ level, failedAtMs }: Level): number {
  // The level decreases continuously: after the ninth try it is just below nine.
  if (level <= FREE - 1) return failedAtMs;
  return failedAtMs + Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (level - FREE));
}

/** Whether all wrong tries are forgiven. */
export function isForgiven(tries: Level, nowMs: number): boolean {
  return levelAt(tries, nowMs) === 0;
}

/**
 * Which of the remembered tries go so that one more can be remembered: those that are forgiven, and beyond the limit those with the lowest
 * level. SECURITY: flooding the organization with wrong tries at other contacts pushes out a contact under attack last.
 */
export function toForget(kept: ReadonlyMap<string, Level>, limit: number, sweep: number, nowMs: number): string[] {
  const forgiven = [...kept].filter(([, tries]) => isForgiven(tries, nowMs)).slice(0, sweep);
  const excess = kept.size - forgiven.length + 1 - limit;
  if (excess <= 0) return forgiven.map(([id]) => id);
  const gone = new Set(forgiven.map(([id]) => id));
  const lowest = [...kept]
    .filter(([id]) => !gone.has(id))
    .sort(([, a], [, b]) => levelAt(a, nowMs) - levelAt(b, nowMs))
    .slice(0, excess);
  return [...forgiven, ...lowest].map(([id]) => id);
}
