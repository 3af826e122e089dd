import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createCarriedOut } from '../../src/pipeline/carried-out.ts';

const fingerprint = (number: number) => `sha256:${createHash('sha256').update(String(number)).digest('hex')}`;
const MINUTE = 60_000;

test('D94: remembers every fingerprint, however many, and no other', () => {
  const carriedOut = createCarriedOut();
  const count = 20_000;
  for (let number = 0; number < count; number++) carriedOut.add(fingerprint(number), number);
  for (let number = 0; number < count; number++) expect(carriedOut.has(fingerprint(number))).toBe(true);
  for (let number = count; number < 2 * count; number++) expect(carriedOut.has(fingerprint(number))).toBe(false);
});

test('D94: remembers for as long as a body can be sent again, and forgets in time', () => {
  const carriedOut = createCarriedOut();
  const start = 1_700_000_000_000;
  carriedOut.add(fingerprint(1), start);
  for (let minute = 1; minute <= 65; minute++) carriedOut.add(fingerprint(100 + minute), start + minute * MINUTE);
  expect(carriedOut.has(fingerprint(1))).toBe(true);
  for (let minute = 66; minute <= 200; minute++) carriedOut.add(fingerprint(100 + minute), start + minute * MINUTE);
  expect(carriedOut.has(fingerprint(1))).toBe(false);
  expect(carriedOut.has(fingerprint(300))).toBe(true);
});
