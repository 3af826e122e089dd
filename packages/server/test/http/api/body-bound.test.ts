import { activities, queries } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { spec } from '../../../src/dialects/spec.ts';
import { bodyBound } from '../../../src/http/api/body-bound.ts';

const MAX = 1_048_576;
const stamped = { 'x-stamp': 'x' };
const submit = { kind: 'submit', dialect: spec, definition: activities.createUsers } as const;
const queried = (name: keyof typeof queries) => ({ kind: 'query', dialect: spec, definition: queries[name] }) as const;

describe('D166: maximum body length of an operation', () => {
  test('is the server limit for a stamped request to an operation with long parameters', () => {
    expect(bodyBound({ route: submit }, stamped, MAX)).toBe(MAX);
    expect(bodyBound({ route: queried('simulateActivity') }, { 'x-session': 'x' }, MAX)).toBe(MAX);
  });

  test('is small without a stamp, for other queries and for unknown operations', () => {
    expect(bodyBound({ route: submit }, {}, MAX)).toBe(65_536);
    expect(bodyBound({ route: queried('whoami') }, stamped, MAX)).toBe(65_536);
    expect(bodyBound({ route: queried('listActivities') }, stamped, MAX)).toBe(65_536);
    expect(bodyBound({ route: undefined }, stamped, MAX)).toBe(65_536);
  });
});
