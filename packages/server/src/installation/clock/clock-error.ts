import { OperatorError } from '@countersign/contract';

/** The clock of this machine, or the stored time of the installation, is wrong. */
export class ClockError extends OperatorError {
  override readonly name = 'ClockError';
}

const accept = "stop every server and run 'countersign clock accept'";

/** For a start with a clock that is too far behind the installation. */
export function clockBehind(behindMs: number): ClockError {
  return new ClockError(
    `This machine's clock is ${inWords(behindMs)} behind the time that this installation has already seen.`,
    `Correct the clock (NTP) and start again. If it is correct and a clock was ahead before, on this or another node, ${accept}.`,
  );
}

/** For a stored time that this installation did not write. */
export function markAltered(): ClockError {
  return new ClockError(
    'The stored time of this installation was changed outside the service.',
    `Find out who wrote to the database. Then check this machine's clock, ${accept}.`,
  );
}

/** A span of time in the largest unit that fits. */
export function inWords(ms: number): string {
  const units = [
    ['days', 86_400_000],
    ['hours', 3_600_000],
    ['minutes', 60_000],
  ] as const;
  const [name, size] = units.find(([, unit]) => ms >= 2 * unit) ?? ['seconds', 1_000];
  return `${Math.round(ms / size)} ${name}`;
}
