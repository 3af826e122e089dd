import { describe, expect, test } from 'vitest';
import { changesOf, choiceOf, conditions, methodsOf, plainFactors } from '../src/pages/people/mfa-answers.ts';

const PASSKEY = 'AUTHENTICATION_TYPE_PASSKEY';
const API_KEY = 'AUTHENTICATION_TYPE_API_KEY';
const policy = (requiredAuthenticationMethods: ReturnType<typeof methodsOf>) => ({
  ...{ mfaPolicyId: 'm', mfaPolicyName: 'Two', condition: conditions.export },
  requiredAuthenticationMethods,
});
const same = { mfaPolicyName: 'Two', condition: conditions.export };

describe('the form of an MFA policy', () => {
  test('shows the factors of a policy, and sends only what changes', () => {
    const before = policy(methodsOf([PASSKEY, API_KEY]));
    expect(plainFactors(before)).toEqual([PASSKEY, API_KEY]);
    expect(changesOf(before, { ...same, factors: [API_KEY, PASSKEY] })).toEqual({});
    expect(changesOf(before, { ...same, mfaPolicyName: 'One', factors: [PASSKEY] })).toEqual({
      mfaPolicyName: 'One',
      requiredAuthenticationMethods: [{ any: [{ type: PASSKEY }] }],
    });
  });

  test.each([
    ['one credential', [{ any: [{ type: PASSKEY, id: 'a' }] }]],
    ['alternatives', [{ any: [{ type: PASSKEY }, { type: API_KEY }] }]],
    ['the same factor twice', methodsOf([API_KEY, API_KEY])],
  ])('D979: a step that names %s is never overwritten', (_, methods) => {
    const before = policy(methods as ReturnType<typeof methodsOf>);
    expect(plainFactors(before)).toBeUndefined();
    expect(changesOf(before, { ...same, condition: conditions.keys, factors: undefined })).toEqual({
      condition: conditions.keys,
    });
  });

  test('a condition that is no choice is edited as text', () => {
    expect(choiceOf(conditions.keys)).toBe('keys');
    expect(choiceOf("activity.action == 'EXPORT' ")).toBe('other');
    expect(choiceOf('')).toBe('other');
  });
});
