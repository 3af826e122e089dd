import { activities } from '@countersign/contract';
import { type ApiKeyRecord, authorizationOf, type VoteRecord } from '@countersign/judgement';
import { describe, expect, test } from 'vitest';
import type { MfaPolicyRecord } from '../../server/src/organizations/records.ts';
import { organization } from './support/world.ts';

const session = (more: Partial<ApiKeyRecord>): Partial<ApiKeyRecord> => ({ type: 'CREDENTIAL_TYPE_LOGIN', ...more });
const where = organization([
  { id: 'u' },
  { id: 'old', key: session({ userId: 'u' }) },
  {
    id: 'limited',
    key: session({
      userId: 'u',
      origin: { signedInAtMs: 1, method: 'EMAIL', openedBy: ['otp'] },
      limitedTo: { sessionProfileId: 'p', sessionProfileName: 'P', scope: 'true' },
    }),
  },
  { id: 'mailed', key: session({ userId: 'u', restrictedTo: { activity: 'a', subjectId: 's' } }) },
]);
const vote = (id: string): VoteRecord => ({
  id: 'v',
  userId: 'u',
  userName: 'not in the text',
  credentialId: `${id}-key`,
  selection: 'VOTE_SELECTION_APPROVED',
  message: 'not in the text',
  publicKey: 'not in the text',
  signature: 'aa',
  scheme: 'SCHEME',
  createdAtMs: 0,
});
const shownVote = (id: string) =>
  `"vote":{"id":"v","userId":"u","credentialId":"${id}-key","selection":"VOTE_SELECTION_APPROVED","scheme":"SCHEME","signature":"aa"}}`;

describe('the text of an authorization keeps its bytes', () => {
  test.each([
    ['u', 'API_KEY', '{"kind":"API_KEY","type":"CREDENTIAL_TYPE_API_KEY_P256","strength":"API_KEY"}'],
    [
      'old',
      'SESSION',
      '{"kind":"SESSION","type":"CREDENTIAL_TYPE_LOGIN","strength":"SESSION","session":{"method":"SESSION","openedBy":[]}}',
    ],
    [
      'limited',
      'SESSION',
      '{"kind":"SESSION","type":"CREDENTIAL_TYPE_LOGIN","strength":"SESSION","session":{"method":"EMAIL","openedBy":["otp"],"profileId":"p"}}',
    ],
    ['mailed', 'ONE_TIME_KEY', '{"kind":"ONE_TIME_KEY","type":"CREDENTIAL_TYPE_LOGIN","strength":"SESSION"}'],
  ])('%s', (id, credentialKind, credential) => {
    const text = `{"organizationId":"${where.id}","credential":${credential},${shownVote(id)}`;
    expect(authorizationOf({ organization: where, vote: vote(id) })).toEqual({ credentialKind, text });
  });

  test('a passkey', () => {
    const record = { userId: 'u' } as never;
    const organizationWithPasskey = { ...where, authenticators: new Map([['pass-key', record]]) };
    const credential = '{"kind":"PASSKEY","type":"CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR","strength":"PASSKEY"}';
    const text = `{"organizationId":"${where.id}","credential":${credential},${shownVote('pass')}`;
    expect(authorizationOf({ organization: organizationWithPasskey, vote: vote('pass') })).toEqual({
      credentialKind: 'PASSKEY',
      text,
    });
  });
});

test('the same record in another organization gives another text', () => {
  authorizationOf({ organization: where, vote: vote('u') });
  const text = authorizationOf({ organization: { ...where, id: 'other' }, vote: vote('u') })?.text;
  expect(text).toMatch(/^\{"organizationId":"other",/);
});

test('an unknown credential has no authorization', () => {
  expect(authorizationOf({ organization: where, vote: vote('unknown') })).toBeUndefined();
});

describe('MFA policies', () => {
  const policy = (type: 'API_KEY' | 'PASSKEY', condition: string): MfaPolicyRecord => ({
    userId: 'u',
    mfaPolicyName: '',
    condition,
    requiredAuthenticationMethods: [
      { any: [{ type: `AUTHENTICATION_TYPE_${type}`, ...(type === 'API_KEY' && { id: 'u-key' }) }] },
    ],
    order: 0,
    createdAtMs: 0,
    updatedAtMs: 0,
  });
  const definition = activities.createWallet;
  const approve = (
    policies: Record<string, MfaPolicyRecord>,
    cast: VoteRecord,
    outcome?: 'ALLOW' | 'DENY' | 'NEEDS_CONSENSUS',
  ) => {
    const records = { ...where.records, mfaPolicy: new Map(Object.entries(policies)) };
    const guarded = { ...where, records };
    const judgement = { organization: guarded, definition, type: definition.type, params: {}, votes: [cast], nowMs: 1 };
    return authorizationOf({ organization: guarded, vote: cast, ...(outcome && { decided: { outcome, judgement } }) })?.text;
  };

  test('that apply are in the text, with the methods that were met', () => {
    const text = approve({ met: policy('API_KEY', 'true'), open: policy('PASSKEY', 'true') }, vote('u'), 'NEEDS_CONSENSUS');
    expect(text).toContain(
      ',"mfa":[{"mfaPolicyId":"met","satisfied":true,"met":[{"type":"AUTHENTICATION_TYPE_API_KEY","id":"u-key"}]},{"mfaPolicyId":"open","satisfied":false,"met":[]}],"vote":',
    );
  });

  test('that do not apply are not', () => {
    expect(approve({ other: policy('PASSKEY', 'false') }, vote('u'), 'ALLOW')).not.toContain('"mfa"');
  });

  test('are not evaluated for a denial, a rejection, or without a decision', () => {
    const policies = { open: policy('PASSKEY', 'true') };
    expect(approve(policies, { ...vote('u'), selection: 'VOTE_SELECTION_REJECTED' }, 'ALLOW')).not.toContain('"mfa"');
    expect(approve(policies, vote('u'), 'DENY')).not.toContain('"mfa"');
    expect(approve(policies, vote('u'))).not.toContain('"mfa"');
  });
});
