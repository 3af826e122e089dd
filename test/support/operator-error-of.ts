import { OperatorError } from '@countersign/contract';
import { expect } from 'vitest';

/** The error that an operator sees: one line with the problem, one with the fix. */
export async function operatorErrorOf(attempt: Promise<unknown>): Promise<{ name: string; message: string; fix: string }> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof OperatorError)) throw error ?? new Error('it started');
  const { name, message, fix } = error;
  expect(message).not.toContain('\n');
  expect(fix).not.toContain('\n');
  expect(fix.length).toBeGreaterThan(10);
  return { name, message, fix };
}
