import { ChainError } from '../../src/errors.ts';

const MAX_MS = 1_000;

/** The result, or undefined when the input was refused with a ChainError. Anything else, or taking long, is a failure. */
export function attempt<T>(run: () => T): T | undefined {
  const started = performance.now();
  const result = orRefused(run);
  const took = performance.now() - started;
  if (took > MAX_MS) throw new Error(`took ${took} ms`);
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
