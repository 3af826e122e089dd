import { type ActivityDefinition, activities } from '@countersign/contract';
import { comparedOperations } from '@countersign/judgement';
import { describe, expect, test } from 'vitest';

const table = Object.entries<ActivityDefinition>(activities);

/** What people decide about: a change of these is compared. */
const compared = new Set([
  'POLICY',
  'ORGANIZATION',
  'INSTALLATION',
  'USER',
  'CREDENTIAL',
  'INVITATION',
  'CONTACT',
  'TOKEN',
  'VELOCITY_CONTROL',
  'MFA_POLICY',
  'SESSION_PROFILE',
  'SMART_CONTRACT_INTERFACE',
  'WEBHOOK_ENDPOINT',
  'IP_ALLOWLIST',
  'FREEZE',
]);

describe('the table of comparisons', () => {
  test('has an entry or a reason for every operation', () => {
    expect(Object.keys(comparedOperations).sort()).toEqual(table.map(([name]) => name).sort());
    for (const entry of Object.values(comparedOperations))
      if ('nothing' in entry) expect(entry.nothing).toMatch(/^[a-z`].{20,}[^.]$/);
  });

  test('compares every change of what people decide about', () => {
    const uncompared = table.filter(
      ([name, { policy }]) =>
        compared.has(policy.resource) && 'nothing' in comparedOperations[name as keyof typeof comparedOperations],
    );
    expect(uncompared.map(([name]) => name)).toEqual(['testWebhookEndpoint']);
  });
});
