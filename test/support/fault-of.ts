import { expect } from 'vitest';
import { ConfigFault } from '../../packages/server/src/config/read-config.ts';
import { StoreFault } from '../../packages/server/src/store/store.ts';
import { VaultFault } from '../../packages/server/src/vault/vault.ts';

/** The fault that an operator would see: one line with the problem, one with the fix. */
export async function faultOf(attempt: Promise<unknown>): Promise<{ name: string; message: string; fix: string }> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ConfigFault || error instanceof StoreFault || error instanceof VaultFault))
    throw error ?? new Error('it started');
  const { name, message, fix } = error;
  expect(message).not.toContain('\n');
  expect(fix).not.toContain('\n');
  expect(fix.length).toBeGreaterThan(10);
  return { name, message, fix };
}
