import { ServiceError } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { addressBlock } from '../../src/admission/admitted-request.ts';
import { createBuckets, createRates } from '../../src/admission/rates.ts';
import { parseIpAddress } from '../../src/network/ip-address.ts';
import { noLimits } from './support.ts';

const office = (credential: string) => ({ address: '192.0.2.1', credential });
const bad = () => new ServiceError('SIGNATURE_INVALID', 'bad');
const request = { organizationId: 'o', credentialId: 'c', isLogin: false };

function codeOf(act: () => unknown): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return (error as ServiceError).code;
  }
}

describe('token buckets', () => {
  test('hold a burst, refill with time, and say how long to wait', () => {
    let now = 0;
    const buckets = createBuckets({ perSecond: 10, burstSeconds: 2 }, () => now);
    for (let taken = 0; taken < 20; taken++) expect(buckets.take('a')).toBe(0);
    expect(buckets.take('a')).toBe(100);
    expect(buckets.take('b')).toBe(0);
    now += 100;
    expect(buckets.take('a')).toBe(0);
    expect(buckets.take('a')).toBeGreaterThan(0);
  });

  test('0 is no limit', () => {
    const buckets = createBuckets({ perSecond: 0, burstSeconds: 5 });
    for (let taken = 0; taken < 1000; taken++) expect(buckets.take('a')).toBe(0);
  });

  test('D162: any number of names takes a bounded number of buckets', () => {
    const buckets = createBuckets({ perSecond: 1, burstSeconds: 1 }, () => 0, 10);
    expect(buckets.take('first')).toBe(0);
    expect(buckets.take('first')).toBe(1000);
    for (let name = 0; name < 10; name++) buckets.take(`n${name}`);
    // The first was forgotten, and is full again.
    expect(buckets.waitOf('first')).toBe(0);
    expect(buckets.waitOf('n9')).toBe(1000);
  });
});

describe('D162: many bad stamps', () => {
  test('addresses of one /64 count as one, IPv4 addresses as themselves', () => {
    const block = (text: string) => addressBlock(parseIpAddress(text));
    expect(block('2001:db8:1:2::1')).toBe(block('2001:db8:1:2:ffff::9'));
    expect(block('2001:db8:1:2::1')).not.toBe(block('2001:db8:1:3::1'));
    expect(block('::ffff:192.0.2.1')).toBe(block('192.0.2.1'));
    expect(block('192.0.2.1')).not.toBe(block('192.0.2.2'));
    expect(addressBlock(undefined)).toBe('unknown');
  });

  test('are refused without a look, while others at the address whose credentials are known go on', () => {
    let now = 0;
    const rates = createRates({ ...noLimits, failedStampsPerAddress: 1 }, undefined, () => now);
    rates.countAuthenticated(office('colleague'), request);
    for (let sent = 0; sent < 10; sent++)
      expect(rates.limitFailures(office('guess')).onError(bad())).toMatchObject({ code: 'SIGNATURE_INVALID' });
    expect(codeOf(() => rates.limitFailures(office('guess')))).toBe('RATE_LIMIT_EXCEEDED');
    expect(codeOf(() => rates.limitFailures(office('another')))).toBe('RATE_LIMIT_EXCEEDED');
    expect(codeOf(() => rates.limitFailures(office('colleague')))).toBeUndefined();
    expect(codeOf(() => rates.limitFailures({ address: '192.0.2.2', credential: 'guess' }))).toBeUndefined();
    now += 1000;
    expect(codeOf(() => rates.limitFailures(office('another')))).toBeUndefined();
  });

  test('do not tell which credentials are known at the address', () => {
    const rates = createRates({ ...noLimits, failedStampsPerAddress: 1 }, undefined, () => 0);
    rates.countAuthenticated(office('colleague'), request);
    for (let sent = 0; sent < 10; sent++) rates.limitFailures(office('guess')).onError(bad());
    expect(rates.limitFailures(office('colleague')).onError(bad())).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  });

  test('other failures are not counted', () => {
    const rates = createRates({ ...noLimits, failedStampsPerAddress: 1 }, undefined, () => 0);
    for (let sent = 0; sent < 100; sent++) rates.limitFailures(office('a')).onError(new ServiceError('NOT_FOUND', 'no'));
    expect(codeOf(() => rates.limitFailures(office('a')))).toBeUndefined();
  });
});

describe('D164: one credential or organization that sends too much', () => {
  test.each([
    ['requestsPerCredential', { ...request, organizationId: 'other' }],
    ['requestsPerOrganization', { ...request, credentialId: 'other' }],
    ['loginsPerCredential', { ...request, isLogin: true }],
  ] as const)('%s', (name, same) => {
    const refused: string[] = [];
    const rates = createRates(
      { ...noLimits, [name]: 2 },
      (what) => refused.push(what),
      () => 0,
    );
    const burst = name === 'loginsPerCredential' ? 20 : 10;
    for (let sent = 0; sent < burst; sent++) rates.countAuthenticated(office('c'), { ...request, isLogin: same.isLogin });
    expect(codeOf(() => rates.countAuthenticated(office('c'), same))).toBe('RATE_LIMIT_EXCEEDED');
    expect(refused).toEqual([name]);
    expect(
      codeOf(() => rates.countAuthenticated(office('d'), { organizationId: 'p', credentialId: 'd', isLogin: true })),
    ).toBeUndefined();
  });

  test('an address that sends too many requests', () => {
    const rates = createRates({ ...noLimits, requestsPerAddress: 2 }, undefined, () => 0);
    for (let sent = 0; sent < 10; sent++) rates.countRequest('192.0.2.1');
    expect(codeOf(() => rates.countRequest('192.0.2.1'))).toBe('RATE_LIMIT_EXCEEDED');
    expect(codeOf(() => rates.countRequest('192.0.2.2'))).toBeUndefined();
  });

  test('D217: an address, and an organization, that gets too many sign-ins without a stamp', () => {
    const rates = createRates({ ...noLimits, signInsPerAddress: 1, signInsPerOrganization: 1 }, undefined, () => 0);
    for (const take of [rates.countSignInFrom, rates.countSignInTo]) {
      for (let sent = 0; sent < 20; sent++) take('a');
      expect(codeOf(() => take('a'))).toBe('RATE_LIMIT_EXCEEDED');
      expect(codeOf(() => take('b'))).toBeUndefined();
    }
  });

  test('D163: an organization has one flow, wherever it sends from; an unproven claim has that of its address', () => {
    const rates = createRates(noLimits);
    const elsewhere = { address: '198.51.100.7', credential: 'k' };
    rates.countAuthenticated(office('k'), request);
    rates.countAuthenticated(elsewhere, request);
    expect(rates.flowOf(office('k'))).toBe(rates.flowOf(elsewhere));
    expect(rates.flowOf(office('claimed'))).toBe('address 192.0.2.1');
  });
});
