import type { ListedActivity } from '@countersign/client';
import { expect, test } from 'vitest';
import { sentenceFor } from '../src/pages/approvals/sentence.ts';
import type { Check } from '../src/review/types.ts';

function shown(type: string, parameters: Readonly<Record<string, unknown>>): string {
  const request = { type, organizationId: 'o1', parameters };
  const check: Check = { state: 'plain', request };
  return sentenceFor({ type } as ListedActivity, check);
}

test('D389: the sentence of an unfreeze names the objects in the stamped bytes, the organization and users first', () => {
  const parameters = { walletIds: ['w1'], userIds: ['thief'], privateKeyIds: ['k1', 'k2'], wholeOrganization: true };
  expect(shown('ACTIVITY_TYPE_UNFREEZE', parameters)).toMatch(/^unfreeze the organization, user thief, wallet w1, and 2 more$/i);
  expect(shown('ACTIVITY_TYPE_UNFREEZE', { walletIds: ['w1'] })).toMatch(/^unfreeze wallet w1$/i);
});

test('a freeze shows its reason, without invisible characters, and other requests show their name', () => {
  expect(shown('ACTIVITY_TYPE_FREEZE', { walletIds: ['w1'], reason: 'stolen\u202e laptop' })).toMatch(
    /^freeze wallet w1: “stolen.+laptop”$/i,
  );
  expect(shown('ACTIVITY_TYPE_FREEZE', { walletIds: ['w1'], reason: 'a\u202eb' })).not.toContain('\u202e');
  expect(shown('ACTIVITY_TYPE_CREATE_POLICY_V3', { policyName: 'Pay' })).toContain('“Pay”');
});
