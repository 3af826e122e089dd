import { describe, expect, test } from 'vitest';
import { senderOf } from '../../src/admission/flow.ts';
import { KnownCallers } from '../../src/admission/known-callers.ts';
import { parseIpAddress } from '../../src/network/ip-address.ts';

const at = (address: string, credential = 'key') => ({ address: senderOf(parseIpAddress(address)).block, credential });
const user = { tenantId: 'org', organizationId: 'org', userId: 'user' };
const DAY_MS = 86_400_000;

describe('D340: a claim is proven only by the same credential at the same addresses', () => {
  const known = new KnownCallers();
  known.add(at('192.0.2.1'), user);
  known.add(at('2001:db8:1:2::1'), user);

  test('the credential that verified, from its block of addresses', () => {
    expect(known.find(at('192.0.2.1'))?.flow).toMatchObject({ isProven: true, path: ['org', 'user', expect.any(String)] });
    expect(known.find(at('2001:db8:1:2::ffff'))?.flow?.isProven).toBe(true);
  });

  test.each([
    ['a real credential from another address', at('192.0.2.2')],
    ['a real credential from another network', at('2001:db8:1:3::1')],
    ['another credential at the address of a tenant', at('192.0.2.1', 'other')],
    ['no credential', at('192.0.2.1', '')],
  ])('not %s', (_, caller) => {
    expect(known.find(caller)).toBeUndefined();
  });

  test('no longer than a day after it verified', () => {
    let now = 0;
    const callers = new KnownCallers(undefined, () => now);
    callers.add(at('192.0.2.1'), user);
    now = DAY_MS / 2;
    callers.add(at('192.0.2.1'), user);
    now = DAY_MS;
    expect(callers.find(at('192.0.2.1'))).toBeDefined();
    now = DAY_MS * 1.5;
    expect(callers.find(at('192.0.2.1'))).toBeUndefined();
    expect([...callers.list()]).toEqual([]);
  });
});

test('D341: a user with many addresses does not make the service forget other users', () => {
  const known = new KnownCallers(undefined, undefined, 100);
  for (const each of [1, 2, 3]) known.add(at(`192.0.2.${each}`, `colleague ${each}`), { ...user, userId: `colleague ${each}` });
  for (let host = 0; host < 1000; host++) known.add(at(`10.0.${host >> 8}.${host & 255}`), user);
  for (const each of [1, 2, 3]) expect(known.find(at(`192.0.2.${each}`, `colleague ${each}`))).toBeDefined();
  expect(known.find(at('10.0.3.231'))).toBeDefined();
  expect([...known.list()]).toHaveLength(100);
});

describe('D431: a tenant with many users or sub-organizations does not make the service forget other tenants', () => {
  const tenant = { tenantId: 'tenant', organizationId: 'tenant', userId: 'quiet' };

  test.each([
    ['users', (each: number) => ({ ...user, userId: `user ${each}` })],
    ['sub-organizations', (each: number) => ({ tenantId: 'org', organizationId: `sub ${each}`, userId: `user ${each}` })],
  ])('%s', (_, userOf) => {
    const known = new KnownCallers(undefined, undefined, 100);
    known.add(at('192.0.2.1', 'quiet'), tenant);
    for (let each = 0; each < 1000; each++) known.add(at('10.0.0.1', `key ${each}`), userOf(each));
    expect(known.find(at('192.0.2.1', 'quiet'))).toBeDefined();
    expect(known.find(at('10.0.0.1', 'key 999'))).toBeDefined();
    expect([...known.list()]).toHaveLength(100);
  });

  test('one that was first and keeps renewing its pairs loses them to those who come later', () => {
    let now = 0;
    const known = new KnownCallers(undefined, () => now, 100);
    const renew = () => {
      now += 2_000;
      for (let each = 0; each < 100; each++)
        if (known.find(at('10.0.0.1', `key ${each}`))) known.add(at('10.0.0.1', `key ${each}`), user);
    };
    for (let each = 0; each < 100; each++) known.add(at('10.0.0.1', `key ${each}`), user);
    for (let each = 0; each < 40; each++) {
      renew();
      known.add(at('192.0.2.1', `tenant ${each}`), { ...tenant, tenantId: `tenant ${each}` });
    }
    for (let each = 0; each < 40; each++) expect(known.find(at('192.0.2.1', `tenant ${each}`))).toBeDefined();
  });
});

test('the one that verified longest ago is forgotten first', () => {
  let now = 0;
  const known = new KnownCallers(undefined, () => now, 3);
  for (const name of ['a', 'b', 'c', 'a', 'd']) {
    known.add(at('192.0.2.1', name), { ...user, userId: name });
    now += 2_000;
  }
  expect(['a', 'b', 'c', 'd'].map((name) => known.find(at('192.0.2.1', name)) !== undefined)).toEqual([true, false, true, true]);
});

test('D342: a stamp that the service made for a sign-in proves nothing', () => {
  const known = new KnownCallers();
  known.add(at('192.0.2.1'), user, false);
  expect(known.find(at('192.0.2.1'))).toMatchObject({ flow: undefined });
  expect([...known.list()]).toEqual([]);
  known.add(at('192.0.2.1'), user);
  expect(known.find(at('192.0.2.1'))?.flow?.isProven).toBe(true);
});

test('D343: callers are restored by their keys, with their age', () => {
  let now = 0;
  const before = new KnownCallers(
    (pair) => `hash of ${pair}`,
    () => now,
  );
  before.add(at('192.0.2.1', 'old'), user);
  now = DAY_MS / 2;
  before.add(at('192.0.2.1', 'new'), user);
  const after = new KnownCallers(
    (pair) => `hash of ${pair}`,
    () => now,
  );
  for (const caller of before.list()) after.restore(caller);
  expect(after.find(at('192.0.2.1', 'old'))?.flow).toEqual(before.find(at('192.0.2.1', 'old'))?.flow);
  now = DAY_MS * 1.2;
  expect(after.find(at('192.0.2.1', 'old'))).toBeUndefined();
  expect(after.find(at('192.0.2.1', 'new'))).toBeDefined();
  expect(after.find(at('192.0.2.2', 'new'))).toBeUndefined();
});
