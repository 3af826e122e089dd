import type { ServiceError } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { type CodeRequester, requireRoomForCode } from '../../../src/auth/otp/code-limits.ts';
import type { OneTimeCodeRecord } from '../../../src/organizations/records.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const START = 1_800_000_000_000;

/** Codes that were sent, as an organization keeps them. */
class Sent {
  readonly codes = new Map<string, OneTimeCodeRecord>();

  /** Undefined where a code may be sent, which it then is; else when to ask again. */
  ask(requester: Partial<CodeRequester>, nowMs: number, maxCodes = 10_000): number | undefined {
    const { contact = 'victim@example.com', submittedBy = 'backend', askedBy, known = false, isUnstamped = false } = requester;
    try {
      requireRoomForCode(this.codes, { contact, submittedBy, askedBy, known, isUnstamped }, maxCodes, nowMs);
    } catch (error) {
      const { code, retryAtMs = 0 } = error as ServiceError;
      expect(code).toBe('OTP_LIMIT_EXCEEDED');
      expect(retryAtMs).toBeGreaterThan(nowMs);
      return retryAtMs;
    }
    this.codes.set(String(this.codes.size), {
      use: 'VERIFICATION',
      otpType: 'OTP_TYPE_EMAIL',
      contact,
      alphanumeric: true,
      digest: '',
      triesLeft: 3,
      expiresAtMs: nowMs + MINUTE,
      submittedBy,
      ...(askedBy !== undefined && { askedBy }),
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    });
    return undefined;
  }
}

describe('A10: the pace of codes', () => {
  /** The codes that somebody gets in a day who asks again at the first moment that is allowed. */
  function greedy(requester: (count: number) => Partial<CodeRequester>): number {
    const sent = new Sent();
    let count = 0;
    for (let nowMs = START; nowMs < START + DAY; ) {
      const retryAtMs = sent.ask(requester(count), nowMs);
      if (retryAtMs === undefined) count += 1;
      else nowMs = retryAtMs;
    }
    return count;
  }

  test('one user gets 5,760 codes for one contact in a day, each good for one try: a chance below 2e-10', () => {
    const unnamed = greedy(() => ({}));
    const madeUp = greedy((count) => ({ askedBy: `made up ${count}` }));
    expect([unnamed, madeUp]).toEqual([1440, 4320]);
    // Nine tries are free; then each code is tried once.
    expect((unnamed + madeUp + 9) / 32 ** 9).toBeLessThan(2e-10);
  });

  test('a code that is over, used or locked makes no room', () => {
    const sent = new Sent();
    for (let count = 0; count < 10; count++) expect(sent.ask({}, START)).toBeUndefined();
    expect(sent.ask({}, START + 9 * MINUTE)).toBe(START + 10 * MINUTE);
    expect(sent.ask({}, START + 10 * MINUTE)).toBeUndefined();
  });

  test('what one asks for costs others nothing: other users, named requesters, known ones, other contacts', () => {
    const sent = new Sent();
    while (sent.ask({}, START) === undefined);
    expect(sent.ask({ submittedBy: 'other' }, START)).toBeUndefined();
    expect(sent.ask({ askedBy: 'owner' }, START)).toBeUndefined();
    expect(sent.ask({ contact: 'other@example.com' }, START)).toBeUndefined();
    for (let attacker = 0; attacker < 40; attacker++) sent.ask({ askedBy: `attacker ${attacker}` }, START);
    expect(sent.ask({ askedBy: 'stranger' }, START)).toBe(START + 10 * MINUTE);
    expect(sent.ask({ askedBy: 'owner', known: true }, START)).toBeUndefined();
  });

  test('one named requester gets three in three minutes, for whatever contacts', () => {
    const sent = new Sent();
    const ask = (at: number, nowMs: number) => sent.ask({ askedBy: 'device', contact: `${at}@example.com`, known: true }, nowMs);
    expect([0, 1, 2].map((at) => ask(at, START))).toEqual([undefined, undefined, undefined]);
    expect(ask(3, START + MINUTE)).toBe(START + 3 * MINUTE);
    expect(ask(3, START + 3 * MINUTE)).toBeUndefined();
  });

  test('an organization has so many under way and no more', () => {
    const sent = new Sent();
    for (let at = 0; at < 5; at++) expect(sent.ask({ contact: `${at}@example.com` }, START, 5)).toBeUndefined();
    expect(sent.ask({ contact: 'sixth@example.com' }, START, 5)).toBe(START + 10 * MINUTE);
  });
});

test('A80: strangers leave half of the room for codes to everybody else', () => {
  const sent = new Sent();
  const stranger = (count: number) => ({
    contact: `${count}@example.com`,
    submittedBy: 'sign-in',
    askedBy: `${count}`,
    isUnstamped: true,
  });
  const taken = Array.from({ length: 20 }, (_, count) => sent.ask(stranger(count), START, 10)).filter(
    (each) => each === undefined,
  );
  expect(taken).toHaveLength(5);
  const others = Array.from({ length: 20 }, (_, count) => sent.ask({ contact: `other-${count}@example.com` }, START, 10));
  expect(others.filter((each) => each === undefined)).toHaveLength(5);
  // Nor do strangers get more than there is.
  expect(sent.ask(stranger(21), START, 10)).toBeGreaterThan(START);
});
