import { expect, test } from 'vitest';
import { createHealth } from '../../../src/notify/webhooks/receiver-health.ts';

const HOUR_MS = 3_600_000;

test('a receiver that accepted nothing is paused as a whole, for longer each time', () => {
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

test('a receiver that refuses single organizations is paused for each of them separately', () => {
  const health = createHealth()('e', 'https://a.example.com/');
  health.block(['stuck'], 0);
  health.block(['stuck', 'too'], 0);
  expect(health.isSuspect).toBe(false);
  expect(health.blockedNow(0).organizationIds).toEqual(['stuck', 'too']);
  expect(health.blockedNow(1_000).organizationIds).not.toContain('too');
  expect(health.blockedNow(HOUR_MS).organizationIds).toEqual([]);
  health.delivered('stuck', 0);
  expect(health.blockedNow(0).organizationIds).toEqual(['too']);
});

test('after it accepts an event, a receiver counts as healthy for a while', () => {
  const health = createHealth()('e', 'https://a.example.com/');
  expect(health.isTrusted(0)).toBe(false);
  health.down(0);
  health.delivered('o', 0);
  expect([health.isSuspect, health.isTrusted(60_000), health.isTrusted(HOUR_MS)]).toEqual([false, true, false]);
});

test('a new address starts healthy, the same address does not', () => {
  const healthOf = createHealth();
  healthOf('e', 'https://a.example.com/').down(0);
  expect(healthOf('e', 'https://a.example.com/').isSuspect).toBe(true);
  expect(healthOf('f', 'https://a.example.com/').isSuspect).toBe(false);
  expect(healthOf('e', 'https://b.example.com/').isSuspect).toBe(false);
});
