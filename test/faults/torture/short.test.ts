import { describe, expect, test } from 'vitest';
import { type Fault, nothingBroken } from './fault.ts';
import { clockSteps } from './faults/clock-steps.ts';
import { failingSync, fullDisk, readOnlyDisk } from './faults/storage.ts';

/** The faults of `npm run torture` that are quick and that no other test causes, once each. */
describe('a service on sqlite', () => {
  test.each<[string, Fault]>([
    ['D201: goes on after a full disk, and lacks nothing that it acknowledged', fullDisk],
    ['D201, fault 5: goes on after its storage was read-only', readOnlyDisk],
    ['D201, fault 5: goes on after fsync failed', failingSync],
    ['D134: goes on while its clock steps', clockSteps],
  ])('%s', { timeout: 240_000 }, async (_title, fault) => {
    const missing = fault.missing?.();
    if (missing !== undefined) return expect(missing).toMatch(/Linux|compiler/);
    const findings = await fault.run({ engine: 'sqlite', rounds: 1, brief: true });
    expect(findings.broken).toEqual(nothingBroken());
    expect(findings.acknowledged).toBeGreaterThan(5);
  });
});
