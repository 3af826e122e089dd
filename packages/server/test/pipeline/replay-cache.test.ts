import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createReplayCache } from '../../src/pipeline/commit/replay-cache.ts';

const fingerprint = (number: number) => `sha256:${createHash('sha256').update(String(number)).digest('hex')}`;
const organization = '01a1e444-2010-7fe0-b787-17ec4682a65f';
const MINUTE = 60_000;

test('D94: contains every added fingerprint, and no other', () => {
  const carriedOut = createReplayCache();
  const count = 20_000;
  for (let number = 0; number < count; number++) carriedOut.add(organization, fingerprint(number), number);
  const numbers = Array.from({ length: 2 * count }, (_, number) => number);
  const found = numbers.filter((number) => carriedOut.has(organization, fingerprint(number)));
  expect(found).toEqual(numbers.slice(0, count));
});

test('D94: keeps fingerprints for the replay window, then evicts them', () => {
  const carriedOut = createReplayCache();
  const start = 1_700_000_000_000;
  carriedOut.add(organization, fingerprint(1), start);
  for (let minute = 1; minute <= 65; minute++) carriedOut.add(organization, fingerprint(100 + minute), start + minute * MINUTE);
  expect(carriedOut.has(organization, fingerprint(1))).toBe(true);
  for (let minute = 66; minute <= 200; minute++) carriedOut.add(organization, fingerprint(100 + minute), start + minute * MINUTE);
  expect(carriedOut.has(organization, fingerprint(1))).toBe(false);
  expect(carriedOut.has(organization, fingerprint(300))).toBe(true);
});

test('D94: separates organizations', () => {
  const carriedOut = createReplayCache();
  carriedOut.add(organization, fingerprint(1), 0);
  for (const other of [
    '01a1e444-2010-7fe0-b787-17ec4682a65e',
    '11a1e444-2010-7fe0-b787-17ec4682a65f',
    '01a1e444-2011-7fe0-b787-17ec4682a65f',
    '01a1e444-2010-7fe1-b787-17ec4682a65f',
    '01a1e444-2010-7fe0-b788-17ec4682a65f',
    '01a1e444-2010-7fe0-b787-27ec4682a65f',
  ])
    expect(carriedOut.has(other, fingerprint(1))).toBe(false);
  expect(carriedOut.has(organization, fingerprint(1))).toBe(true);
});
