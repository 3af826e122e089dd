import { describe, expect, test } from 'vitest';
import { createStorageQuota, type QuotaOwner } from '../../src/admission/storage-quota.ts';

const HOUR = 3_600_000;
const limits = { maxMegabytes: 24, maxMegabytesPerSubOrganization: 2, maxMegabytesOfSubOrganizations: 3 };
const parent: QuotaOwner = {
  target: { id: 'parent' },
  home: { id: 'parent', profile: { parentId: null } },
  limits,
  isPublic: () => false,
  isEssential: () => false,
};
const sub = (id: string): QuotaOwner => ({
  target: { id },
  home: { id, profile: { parentId: 'parent' } },
  limits,
  isPublic: () => false,
  isEssential: () => false,
});
const megabytes = (count: number) => count * 1_000_000;

function ledger() {
  const refused: string[] = [];
  const clock = { now: 0 };
  const stored = createStorageQuota(
    (what) => refused.push(what),
    () => clock.now,
  );
  const isFull = (owner: QuotaOwner) => {
    try {
      stored.require(owner);
      return false;
    } catch (error) {
      expect(error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAtMs: expect.any(Number) });
      return true;
    }
  };
  return { stored, clock, refused, isFull };
}

describe('D205: daily storage quota', () => {
  test('is bounded and refills evenly', () => {
    const { stored, clock, refused, isFull } = ledger();
    stored.add(parent, megabytes(23));
    expect(isFull(parent)).toBe(false);
    stored.add(parent, megabytes(3));
    expect(isFull(parent)).toBe(true);
    expect(refused).toEqual(['maxMegabytes']);
    clock.now += HOUR;
    expect(isFull(parent)).toBe(true);
    clock.now += 1.1 * HOUR;
    expect(isFull(parent)).toBe(false);
    clock.now += 48 * HOUR;
    stored.add(parent, megabytes(23));
    expect(isFull(parent)).toBe(false);
  });

  test('counts for each sub-organization and for all of them together, never against the parent', () => {
    const { stored, refused, isFull } = ledger();
    stored.add(sub('a'), megabytes(2));
    expect([isFull(sub('a')), isFull(sub('b')), isFull(parent)]).toEqual([true, false, false]);
    stored.add(sub('b'), megabytes(1));
    expect([isFull(sub('b')), isFull(sub('c')), isFull(parent)]).toEqual([true, true, false]);
    expect(refused).toEqual([
      'maxMegabytesPerSubOrganization',
      'maxMegabytesOfSubOrganizations',
      'maxMegabytesOfSubOrganizations',
    ]);
  });

  test('activities of the parent in a sub-organization count for the parent', () => {
    const { stored, isFull } = ledger();
    const within: QuotaOwner = {
      target: { id: 'a' },
      home: parent.home,
      limits,
      isPublic: () => false,
      isEssential: () => false,
    };
    stored.add(within, megabytes(24));
    expect([isFull(within), isFull(parent), isFull(sub('a'))]).toEqual([true, true, false]);
  });

  test('counts nothing without a limit', () => {
    const { stored, isFull } = ledger();
    const free: QuotaOwner = { ...parent, limits: { ...limits, maxMegabytes: 0 } };
    stored.add(free, megabytes(1000));
    expect(isFull(free)).toBe(false);
  });
});

test('A82: sign-ins without a stamp use at most half of the quota', () => {
  const { stored, isFull } = ledger();
  const stranger: QuotaOwner = { ...parent, isPublic: () => true };
  stored.add(stranger, megabytes(13));
  expect([isFull(stranger), isFull(parent)]).toEqual([true, false]);
  stored.add(parent, megabytes(12));
  expect(isFull(parent)).toBe(true);
  // Nor is there a share for strangers beyond the whole.
  const other = ledger();
  other.stored.add(parent, megabytes(24));
  expect(other.isFull(stranger)).toBe(true);
});

test('D364: deletions and sign-ins work when the quota is used up, until they have used a reserve', () => {
  const { stored, refused, isFull } = ledger();
  const deletion: QuotaOwner = { ...parent, isEssential: () => true };
  stored.add(parent, megabytes(24));
  expect([isFull(parent), isFull(deletion)]).toEqual([true, false]);
  stored.add(deletion, megabytes(2));
  expect([isFull(parent), isFull(deletion)]).toEqual([true, false]);
  stored.add(deletion, megabytes(1));
  expect([isFull(parent), isFull(deletion)]).toEqual([true, true]);
  expect(new Set(refused)).toEqual(new Set(['maxMegabytes']));
  // Sign-ins without a stamp do not use the reserve.
  const stranger: QuotaOwner = { ...parent, isPublic: () => true, isEssential: () => true };
  const other = ledger();
  other.stored.add(stranger, megabytes(12.1));
  expect([other.isFull(stranger), other.isFull(parent)]).toEqual([true, false]);
});
