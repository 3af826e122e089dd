import { organizationOf, POLICY_LANGUAGE, type PolicyRecord } from '@countersign/judgement';
import { expect, test } from 'vitest';
import { stricterAdvice, stricterStored } from '../../src/commands/doctor/stricter-policies.ts';
import type { Snapshot } from '../../src/organizations/snapshot/snapshot.ts';

const record = (condition: string, more: Partial<PolicyRecord> = {}): PolicyRecord => ({
  policyName: 'All "creations"\n',
  effect: 'EFFECT_ALLOW',
  condition,
  notes: '',
  language: 2,
  createdAtMs: 0,
  updatedAtMs: 0,
  ...more,
});
const found = (policies: Readonly<Record<string, PolicyRecord>>) =>
  stricterStored(organizationOf(new Map(Object.entries(policies))) as Snapshot, Date.now());

test('D416: doctor lists a stored policy that an upgrade made stricter, with a request whose decision changes', () => {
  const wide = "activity.action == 'CREATE'";
  const { language: _, ...oldest } = record(wide);
  const stricter = found({
    wide: record(wide),
    oldest,
    named: record("activity.resource == 'POLICY'"),
    narrow: record("activity.kind == 'CREATE_WALLET'"),
    // Stored by this release, so nothing changed for it.
    recent: record(wide, { language: POLICY_LANGUAGE }),
    deny: record(wide, { effect: 'EFFECT_DENY', condition: "activity.kind == 'CREATE_TOKENS'" }),
  });
  expect(stricter.map(({ policyId }) => policyId)).toEqual(['wide', 'oldest']);
  expect(stricter[0]).toMatchObject({ request: 'administration/create-policy', organizationId: 'offline' });
  const [advice] = stricterAdvice(stricter);
  expect(advice).toMatchObject({ check: 'stricter policies', fix: expect.stringContaining('policy review') });
  expect(advice?.detail).toContain(
    `"All 'creations' " (wide, organization offline) no longer allows administration/create-policy: change policies`,
  );
  expect(stricterAdvice([])).toEqual([]);
});
