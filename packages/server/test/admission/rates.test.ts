import { ServiceError } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { senderOf } from '../../src/admission/flow.ts';
import { KnownCallers } from '../../src/admission/known-callers.ts';
import { createBuckets, createRates } from '../../src/admission/rates.ts';
import { parseIpAddress } from '../../src/network/ip-address.ts';
import { noLimits } from './support.ts';

const office = (credential: string) => ({ address: '192.0.2.1', credential });
const bad = () => new ServiceError('SIGNATURE_INVALID', 'bad');
const request = { tenantId: 'o', organizationId: 'o', userId: 'u', credentialId: 'c', isLogin: false };

function codeOf(act: () => unknown): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return (error as ServiceError).code;
  }
}

describe('token buckets', () => {
  test('allow a burst, refill over time, and report how long to wait', () => {
    let now = 0;
    const buckets = createBuckets({ perSecond: 10, burstSeconds: 2 }, () => now);
    for (let taken = 0; taken < 20; taken++) expect(buckets.take('a')).toBe(0);
    expect(buckets.take('a')).toBe(100);
    expect(buckets.take('b')).toBe(0);
    now += 100;
    expect(buckets.take('a')).toBe(0);
    expect(buckets.take('a')).toBeGreaterThan(0);
  });

  test('0 means no limit', () => {
    const buckets = createBuckets({ perSecond: 0, burstSeconds: 5 });
    for (let taken = 0; taken < 1000; taken++) expect(buckets.take('a')).toBe(0);
  });

  test('D162: the number of buckets is bounded for any number of names', () => {
    const buckets = createBuckets({ perSecond: 1, burstSeconds: 1 }, () => 0, 10);
    expect(buckets.take('first')).toBe(0);
    expect(buckets.take('first')).toBe(1000);
    for (let name = 0; name < 10; name++) buckets.take(`n${name}`);
    // The first was forgotten, and is full again.
    expect(buckets.waitOf('first')).toBe(0);
    expect(buckets.waitOf('n9')).toBe(1000);
  });
});

describe('D162: rate limit of failed authentications', () => {
  test('counts IPv6 addresses by /64 and IPv4 addresses individually', () => {
    const block = (text: string) => senderOf(parseIpAddress(text)).block;
    expect(block('2001:db8:1:2::1')).toBe(block('2001:db8:1:2:ffff::9'));
    expect(block('2001:db8:1:2::1')).not.toBe(block('2001:db8:1:3::1'));
    expect(block('::ffff:192.0.2.1')).toBe(block('192.0.2.1'));
    expect(block('192.0.2.1')).not.toBe(block('192.0.2.2'));
    expect(senderOf(undefined).block).toBe('unknown');
  });

  test('rejects unknown credentials of a throttled address, still serves known ones', () => {
    let now = 0;
    const known = new KnownCallers();
    const rates = createRates({ ...noLimits, failedStampsPerAddress: 1 }, known, undefined, () => now);
    known.add(office('colleague'), request);
    for (let sent = 0; sent < 10; sent++)
      expect(rates.limitFailures(office('guess')).onError(bad())).toMatchObject({ code: 'SIGNATURE_INVALID' });
    expect(rates.limitFailures(office('guess')).rejection?.code).toBe('RATE_LIMIT_EXCEEDED');
    expect(rates.limitFailures(office('another')).rejection?.code).toBe('RATE_LIMIT_EXCEEDED');
    expect(rates.limitFailures(office('colleague')).rejection?.code).toBeUndefined();
    expect(rates.limitFailures({ address: '192.0.2.2', credential: 'guess' }).rejection?.code).toBeUndefined();
    now += 1000;
    expect(rates.limitFailures(office('another')).rejection?.code).toBeUndefined();
  });

  test('does not reveal which credentials are known at the address', () => {
    const known = new KnownCallers();
    const rates = createRates({ ...noLimits, failedStampsPerAddress: 1 }, known, undefined, () => 0);
    known.add(office('colleague'), request);
    for (let sent = 0; sent < 10; sent++) rates.limitFailures(office('guess')).onError(bad());
    expect(rates.limitFailures(office('colleague')).onError(bad())).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  });

  test('does not count other failures', () => {
    const rates = createRates({ ...noLimits, failedStampsPerAddress: 1 }, new KnownCallers(), undefined, () => 0);
    for (let sent = 0; sent < 100; sent++) rates.limitFailures(office('a')).onError(new ServiceError('NOT_FOUND', 'no'));
    expect(rates.limitFailures(office('a')).rejection?.code).toBeUndefined();
  });
});

describe('D164: request rate limits', () => {
  test.each([
    ['requestsPerCredential', { ...request, organizationId: 'other' }],
    ['requestsPerOrganization', { ...request, credentialId: 'other' }],
    ['loginsPerCredential', { ...request, isLogin: true }],
  ] as const)('%s', (name, same) => {
    const refused: string[] = [];
    const rates = createRates(
      { ...noLimits, [name]: 2 },
      new KnownCallers(),
      (what) => refused.push(what),
      () => 0,
    );
    const burst = name === 'loginsPerCredential' ? 20 : 10;
    for (let sent = 0; sent < burst; sent++) rates.countAuthenticated({ ...request, isLogin: same.isLogin });
    expect(codeOf(() => rates.countAuthenticated(same))).toBe('RATE_LIMIT_EXCEEDED');
    expect(refused).toEqual([name]);
    expect(
      codeOf(() =>
        rates.countAuthenticated({ tenantId: 'p', organizationId: 'p', userId: 'v', credentialId: 'd', isLogin: true }),
      ),
    ).toBeUndefined();
  });

  test('an address that sends too many requests', () => {
    const rates = createRates({ ...noLimits, requestsPerAddress: 2 }, new KnownCallers(), undefined, () => 0);
    for (let sent = 0; sent < 10; sent++) rates.countRequest('192.0.2.1');
    expect(codeOf(() => rates.countRequest('192.0.2.1'))).toBe('RATE_LIMIT_EXCEEDED');
    expect(codeOf(() => rates.countRequest('192.0.2.2'))).toBeUndefined();
  });

  test('D217: an address, and an organization, that gets too many sign-ins without a stamp', () => {
    const rates = createRates(
      { ...noLimits, signInsPerAddress: 1, signInsPerOrganization: 1 },
      new KnownCallers(),
      undefined,
      () => 0,
    );
    for (const take of [rates.countSignInFrom, rates.countSignInTo]) {
      for (let sent = 0; sent < 20; sent++) take('a');
      expect(codeOf(() => take('a'))).toBe('RATE_LIMIT_EXCEEDED');
      expect(codeOf(() => take('b'))).toBeUndefined();
    }
  });
});
