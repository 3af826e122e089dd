import { expect, test } from 'vitest';
import { createHealth } from '../../src/webhooks/receiver-health.ts';

const HOUR_MS = 3_600_000;

test('a receiver that took nothing is left alone as a whole, for longer each time', () => {
  const health = createHealth()('e', 'https://a.example.com/');
  expect(health.isSuspect).toBe(false);
  const pauses = [1, 2, 3, 4, 5].map(() => health.down(0));
  expect(health.isSuspect).toBe(true);
  for (const [index, pause] of pauses.entries()) {
    expect(pause).toBeGreaterThanOrEqual(500 * 2 ** index);
    expect(pause).toBeLessThanOrEqual(1_000 * 2 ** index);
  }
  expect(health.blockedNow(0).organizationIds).toEqual([]);
});

test('one that refuses single organizations does so for each of them for its own time', () => {
  const health = createHealth()('e', 'https://a.example.com/');
  health.block(['stuck'], 0);
  health.block(['stuck', 'too'], 0);
  expect(health.isSuspect).toBe(false);
  expect(health.blockedNow(0).organizationIds).toEqual(['stuck', 'too']);
  expect(health.blockedNow(1_000).organizationIds).not.toContain('too');
  expect(health.blockedNow(HOUR_MS).organizationIds).toEqual([]);
  health.took('stuck', 0);
  expect(health.blockedNow(0).organizationIds).toEqual(['too']);
});

test('it is trusted for a while after it took something, which clears it of suspicion', () => {
  const health = createHealth()('e', 'https://a.example.com/');
  expect(health.isTrusted(0)).toBe(false);
  health.down(0);
  health.took('o', 0);
  expect([health.isSuspect, health.isTrusted(60_000), health.isTrusted(HOUR_MS)]).toEqual([false, true, false]);
});

test('another address begins with a clean sheet, and the same one does not', () => {
  const healthOf = createHealth();
  healthOf('e', 'https://a.example.com/').down(0);
  expect(healthOf('e', 'https://a.example.com/').isSuspect).toBe(true);
  expect(healthOf('f', 'https://a.example.com/').isSuspect).toBe(false);
  expect(healthOf('e', 'https://b.example.com/').isSuspect).toBe(false);
});
