import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { redeemCode } from '../../../src/auth/otp/redeem-code.ts';
import type { OneTimeCodeRecord } from '../../../src/organizations/records.ts';
import type { Snapshot } from '../../../src/organizations/snapshot/snapshot.ts';
import { openIntegrity } from '../../../src/vault/integrity/integrity.ts';
import { Secret } from '../../../src/vault/keys/secret.ts';

const { integrity } = openIntegrity(new Secret(randomBytes(32)));
const NOW = 1_800_000_000_000;
const CODE = 'ABCDEF234';

function record(fields: Partial<OneTimeCodeRecord> = {}, id = 'code', organizationId = 'o'): OneTimeCodeRecord {
  return {
    use: 'SIGN_IN',
    otpType: 'OTP_TYPE_EMAIL',
    contact: 'someone@example.com',
    signsIn: 'u',
    alphanumeric: true,
    digest: Buffer.from(integrity.code(organizationId, id, CODE)).toString('base64'),
    triesLeft: 3,
    expiresAtMs: NOW + 1,
    createdAtMs: NOW,
    updatedAtMs: NOW,
    ...fields,
  };
}

/** The part of a snapshot that code look-ups use. */
const snapshotOf = (codes: Record<string, OneTimeCodeRecord>, id = 'o') =>
  ({ id, records: { oneTimeCode: new Map(Object.entries(codes)) } }) as unknown as Snapshot;

const attempt = (snapshot: Snapshot, otpCode: string, otpId = 'code', nowMs = NOW) =>
  redeemCode(integrity, snapshot, { otpId, otpCode, use: 'SIGN_IN' }, nowMs);

describe('a code', () => {
  test('is accepted, and marked as used', () => {
    const redeemed = attempt(snapshotOf({ code: record() }), CODE.toLowerCase());
    expect(redeemed).toMatchObject({ accepted: true, changes: [{ op: 'putRecord', id: 'code', body: { used: true } }] });
  });

  test('counts a wrong try', () => {
    const redeemed = attempt(snapshotOf({ code: record() }), 'ABCDEF235');
    expect(redeemed).toMatchObject({ accepted: false, changes: [{ body: { triesLeft: 2 } }] });
  });

  test('keeps its target only while it may be tried', () => {
    const sealedTarget = 'AAAA';
    const wrong = (triesLeft: number) => attempt(snapshotOf({ code: record({ sealedTarget, triesLeft }) }), 'ABCDEF235');
    expect(wrong(2)).toMatchObject({ changes: [{ body: { triesLeft: 1, sealedTarget } }] });
    expect(wrong(1)).toMatchObject({ changes: [{ body: { triesLeft: 0 } }] });
    expect(JSON.stringify(wrong(1))).not.toContain(sealedTarget);
    const accepted = attempt(snapshotOf({ code: record({ sealedTarget }) }), CODE);
    expect(JSON.stringify(accepted.changes)).not.toContain(sealedTarget);
    expect(accepted).toMatchObject({ accepted: true, changes: [{ body: { used: true } }] });
  });

  test.each([
    ['used', { used: true as const }],
    ['locked', { triesLeft: 0 }],
    ['expired', { expiresAtMs: NOW }],
    ['for another use', { use: 'VERIFICATION' as const }],
  ])('that is %s is refused, and nothing changes', (_, fields) => {
    expect(attempt(snapshotOf({ code: record(fields) }), CODE)).toMatchObject({ accepted: false, changes: [] });
  });

  test('is valid only under its own id, in its own organization', () => {
    expect(attempt(snapshotOf({ other: record() }), CODE, 'other').accepted).toBe(false);
    expect(attempt(snapshotOf({ code: record() }, 'another organization'), CODE).accepted).toBe(false);
    expect(attempt(snapshotOf({}), CODE).accepted).toBe(false);
  });
});

test('D63: the time of a try reveals neither how much of a code was right nor whether the code exists', () => {
  const snapshot = snapshotOf({ code: record({ triesLeft: 1_000_000 }) });
  const tries: [string, () => unknown][] = [
    ['nothing right', () => attempt(snapshot, 'ZZZZZZZZZ')],
    ['all but the last right', () => attempt(snapshot, 'ABCDEF235')],
    ['no such code', () => attempt(snapshot, CODE, 'made up')],
  ];
  const times = new Map(tries.map(([name]) => [name, [] as number[]]));
  // Interleaved, so that other load on the machine affects all of them equally.
  for (let round = 0; round < 10_000; round++) {
    for (const [name, run] of tries) {
      const startedAt = process.hrtime.bigint();
      run();
      times.get(name)?.push(Number(process.hrtime.bigint() - startedAt));
    }
  }
  const median = (name: string) => (times.get(name) ?? []).sort((a, b) => a - b)[5000] as number;
  const [first, second, third] = tries.map(([name]) => median(name)) as [number, number, number];
  expect(Math.abs(first - second) / first).toBeLessThan(0.25);
  expect(third / first).toBeGreaterThan(0.5);
  expect(third / first).toBeLessThan(2);
});
