import { queries } from '@countersign/contract';
import { expect, test } from 'vitest';
import { showPolicy } from '../../src/organizations/views.ts';

const stored = { policyName: 'p', effect: 'EFFECT_ALLOW', condition: 'true', notes: '', createdAtMs: 1, updatedAtMs: 1 } as const;

test.each([
  [{}, 1],
  [{ language: 2 }, 2],
  [{ language: 3 }, undefined],
] as const)('a policy that is stored as %j is shown in language %s', (fields, language) => {
  for (const showEmptyTime of [true, false]) {
    const policy = showPolicy('id', { ...stored, ...fields }, showEmptyTime);
    expect(policy.language).toBe(language);
    expect(queries.getPolicy.output.parse({ policy })).toEqual({ policy });
  }
});
