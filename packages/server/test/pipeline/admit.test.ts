import type { ServiceError } from '@countersign/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { requireLive } from '../../src/pipeline/authenticate/admit.ts';

const now = 1_790_000_000_000;
const HOUR = 3_600_000;
const FIVE_MINUTES = 300_000;

const refusal = (text: string) => {
  try {
    requireLive(text, now);
    return undefined;
  } catch (error) {
    return (error as ServiceError).code;
  }
};

describe('timestamp window', () => {
  test('D06: accepts times from an hour ago to five minutes ahead', () => {
    fc.assert(
      fc.property(fc.integer({ min: -2 * HOUR, max: 2 * HOUR }), (offset) => {
        const live = offset >= -HOUR && offset <= FIVE_MINUTES;
        expect(refusal(String(now + offset))).toBe(live ? undefined : 'TIMESTAMP_INVALID');
      }),
    );
    expect([-HOUR, FIVE_MINUTES].map((offset) => refusal(String(now + offset)))).toEqual([undefined, undefined]);
    expect([-HOUR - 1, FIVE_MINUTES + 1].map((offset) => refusal(String(now + offset)))).not.toContain(undefined);
  });

  test('D06: rejects anything but plain digits', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/^\d{1,15}$/.test(text));
        expect(refusal(text)).toBe('TIMESTAMP_INVALID');
      }),
    );
    for (const text of [`${now}\n`, ` ${now}`, `+${now}`, `${now}.0`, `${now}e0`, `0x${now.toString(16)}`, '१७९', ''])
      expect(refusal(text), text).toBe('TIMESTAMP_INVALID');
  });
});
