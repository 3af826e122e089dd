import { describe, expect, test } from 'vitest';
import { missingFactors } from '../src/review/missing-factors.ts';

const passkey = { type: 'AUTHENTICATION_TYPE_PASSKEY' } as const;
const email = { type: 'AUTHENTICATION_TYPE_EMAIL_OTP' } as const;
const one = { ...passkey, id: 'one' };
const base = { mfaPolicyId: 'policy', userId: 'user' };

describe('missing factors of an approval', () => {
  test('a met step is left out, once for each method that met one', () => {
    const requiredMethods = [{ any: [passkey] }, { any: [passkey, email] }];
    const status = { ...base, satisfied: false, satisfiedMethods: [passkey], requiredMethods };
    expect(missingFactors([status])).toEqual([[passkey, email]]);
  });

  test('a method with an id meets only the step that names it', () => {
    const status = { ...base, satisfied: false, satisfiedMethods: [one], requiredMethods: [{ any: [email] }, { any: [one] }] };
    expect(missingFactors([status])).toEqual([[email]]);
  });

  test('a satisfied policy misses nothing', () => {
    expect(missingFactors([{ ...base, satisfied: true, satisfiedMethods: [one], requiredMethods: [{ any: [one] }] }])).toEqual(
      [],
    );
  });
});
