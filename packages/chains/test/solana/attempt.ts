import { ChainError } from '../../src/errors.ts';

const MAX_MICROSECONDS = 1_000_000;

/**
 * The result, or undefined when the input was refused with a ChainError. Anything else, or taking long, is a failure.
 * Time is that of the processor, not of the clock: a busy machine may stop the process for as long as it likes.
 */
export function attempt<T>(run: () => T): T | undefined {
  const started = process.cpuUsage();
  const result = orRefused(run);
  const { user, system } = process.cpuUsage(started);
  if (user + system > MAX_MICROSECONDS) throw new Error(`took ${user + system} µs`);
  return result;
}

function orRefused<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}
