import { expect, test } from 'vitest';
import { createHealth } from '../../src/webhooks/receiver-health.ts';

const HOUR_MS = 3_600_000;

test('a receiver that took nothing is left alone as a whole, for longer each time', () => {
  const health = createHealth()('e', 'https://a.example.com/');
  expect(health.isSuspect).toBe(false);
  const pauses = [1, 2, 3, 4, 5].map(() => (health.failed(['o'], false, 0) ?? 0) - 0);
  expect(health.isSuspect).toBe(true);
  for (const [index, pause] of pauses.entries()) {
    expect(pause).toBeGreaterThanOrEqual(500 * 2 ** index);
    expect(pause).toBeLessThanOrEqual(1_000 * 2 ** index);
  }
  expect(health.blockedNow(0).organizationIds).toEqual([]);
});

test('one that took something refuses single organizations, each for its own time', () => {
  const health = createHealth()('e', 'https://a.example.com/');
  health.took('fine', 0);
  expect(health.failed(['stuck'], true, 0)).toBeUndefined();
  expect(health.failed(['stuck', 'too'], false, 0)).toBeUndefined();
  expect(health.isSuspect).toBe(false);
  expect(health.blockedNow(0).organizationIds).toEqual(['stuck', 'too']);
  expect(health.blockedNow(1_000).organizationIds).not.toContain('too');
  expect(health.blockedNow(HOUR_MS).organizationIds).toEqual([]);
  health.took('stuck', 0);
  expect(health.blockedNow(0).organizationIds).toEqual(['too']);
});

test('after a long time without a success it is taken to be down, and a success clears it', () => {
  const health = createHealth()('e', 'https://a.example.com/');
  health.took('o', 0);
  expect(health.failed(['o'], false, HOUR_MS)).toBeGreaterThan(HOUR_MS);
  expect(health.isSuspect).toBe(true);
  health.took('o', 2 * HOUR_MS);
  expect(health.isSuspect).toBe(false);
});

test('another address begins with a clean sheet, and the same one does not', () => {
  const healthOf = createHealth();
  healthOf('e', 'https://a.example.com/').failed(['o'], false, 0);
  expect(healthOf('e', 'https://a.example.com/').isSuspect).toBe(true);
  expect(healthOf('f', 'https://a.example.com/').isSuspect).toBe(false);
  expect(healthOf('e', 'https://b.example.com/').isSuspect).toBe(false);
});
