import { type ActivityDefinition, type AuthenticationType, activities } from '@countersign/contract';
import { demandedStrength, isMeetable, mfaStates } from '@countersign/judgement';
import { describe, expect, test } from 'vitest';
import type { ApiKeyRecord, AuthenticationMethod, MfaPolicyRecord } from '../../server/src/organizations/records.ts';
import { organization } from './support/world.ts';

type Kind = 'EMAIL_OTP' | 'SMS_OTP' | 'PASSKEY' | 'API_KEY' | 'OAUTH' | 'SESSION';

const method = (kind: Kind, id?: string): AuthenticationMethod => ({
  type: `AUTHENTICATION_TYPE_${kind}` satisfies AuthenticationType,
  ...(id !== undefined && { id }),
});
const step = (...kinds: Kind[]) => ({ any: kinds.map((kind) => method(kind)) });

const session = (origin: Partial<ApiKeyRecord>): Partial<ApiKeyRecord> => ({
  userId: 'u',
  type: 'CREDENTIAL_TYPE_LOGIN',
  ...origin,
});
const openedBy = (how: NonNullable<ApiKeyRecord['origin']>['method'], ...ids: string[]) =>
  session({ origin: { signedInAtMs: 0, method: how, openedBy: ids } });

/** One user with keys of each kind, by the ids `a-key` and so on. */
const people = organization([
  { id: 'u' },
  { id: 'second', key: { userId: 'u' } },
  { id: 'mail', key: openedBy('EMAIL') },
  { id: 'text', key: openedBy('SMS') },
  { id: 'oauth', key: openedBy('OAUTH', 'provider') },
  { id: 'twin', key: openedBy('OAUTH', 'twin') },
  { id: 'copy', key: openedBy('API_KEY', 'u-key') },
  { id: 'renewed', key: openedBy('API_KEY', 'copy-key', 'u-key') },
  { id: 'other', key: openedBy('API_KEY', 'second-key') },
  { id: 'orphan', key: openedBy('API_KEY', 'gone') },
  { id: 'old', key: session({}) },
  { id: 'limited', key: session({ limitedTo: { sessionProfileId: 'p', sessionProfileName: 'P', scope: 'true' } }) },
]);

/** Two links to one account, for two audiences. */
const link = { userId: 'u', providerName: 'P', issuer: 'https://issuer', subject: 's', createdAtMs: 0, updatedAtMs: 0 };
const oauthProvider = new Map([
  ['provider', { ...link, audience: 'one' }],
  ['twin', { ...link, audience: 'two' }],
]);
const where = { ...people, records: { ...people.records, oauthProvider } };

function states(
  condition: string,
  steps: MfaPolicyRecord['requiredAuthenticationMethods'],
  ids: readonly string[],
  params: object = {},
  definition: ActivityDefinition = activities.createApiKeys,
  rules = 1,
) {
  const body = { userId: 'u', mfaPolicyName: '', condition, requiredAuthenticationMethods: steps, order: 0 };
  const policy: MfaPolicyRecord = { ...body, createdAtMs: 0, updatedAtMs: 0 };
  const records = { ...where.records, mfaPolicy: new Map([['m', policy]]) };
  const activity = { organization: { ...where, records }, definition, type: definition.type, params, rules };
  return mfaStates(
    activity,
    'u',
    ids.map((id) => `${id}-key`),
  );
}

const met = (steps: MfaPolicyRecord['requiredAuthenticationMethods'], ...ids: string[]) =>
  states('true', steps, ids)[0]?.satisfied;

describe('methods', () => {
  test.each([
    ['API_KEY', 'u', true],
    ['API_KEY', 'mail', false],
    ['SESSION', 'u', false],
    ['SESSION', 'mail', true],
    ['SESSION', 'old', true],
    ['EMAIL_OTP', 'mail', true],
    ['EMAIL_OTP', 'text', false],
    ['EMAIL_OTP', 'old', false],
    ['SMS_OTP', 'text', true],
    ['OAUTH', 'oauth', true],
    ['OAUTH', 'mail', false],
    ['PASSKEY', 'u', false],
    ['PASSKEY', 'mail', false],
  ] as const)('%s by %s: %s', (kind, id, expected) => {
    expect(met([step(kind)], id)).toBe(expected);
  });

  test('an id names the very credential, provider or profile', () => {
    expect(met([{ any: [method('API_KEY', 'u-key')] }], 'u')).toBe(true);
    expect(met([{ any: [method('API_KEY', 'u-key')] }], 'second')).toBe(false);
    expect(met([{ any: [method('OAUTH', 'provider')] }], 'oauth')).toBe(true);
    expect(met([{ any: [method('OAUTH', 'another')] }], 'oauth')).toBe(false);
    expect(met([{ any: [method('SESSION', 'p')] }], 'limited')).toBe(true);
    expect(met([{ any: [method('SESSION', 'p')] }], 'old')).toBe(false);
  });
});

describe('steps', () => {
  test('A21: one credential meets one step', () => {
    expect(met([step('API_KEY'), step('API_KEY')], 'u')).toBe(false);
    expect(met([step('API_KEY'), step('API_KEY')], 'u', 'second')).toBe(true);
    expect(met([step('SESSION'), step('EMAIL_OTP')], 'mail')).toBe(false);
  });

  test('credentials are given to steps so that most are met, in whatever order they came', () => {
    expect(met([step('SESSION'), step('EMAIL_OTP')], 'mail', 'old')).toBe(true);
    expect(met([step('EMAIL_OTP'), step('SESSION')], 'old', 'mail')).toBe(true);
    const [state] = states('true', [step('SESSION', 'API_KEY'), step('API_KEY')], ['u', 'old']);
    expect(state?.satisfiedMethods).toEqual([method('SESSION'), method('API_KEY')]);
  });

  test('without approvals nothing is met', () => {
    expect(states('true', [step('SESSION')], [])).toMatchObject([{ satisfied: false, satisfiedMethods: [] }]);
  });
});

describe('roots', () => {
  const metNow = (steps: MfaPolicyRecord['requiredAuthenticationMethods'], ...ids: string[]) =>
    states('true', steps, ids, {}, activities.createApiKeys, 2)[0]?.satisfied;

  test('D290: a session is no second factor beside the credential that it goes back to', () => {
    const steps = [step('API_KEY'), step('SESSION')];
    for (const ids of [
      ['u', 'copy'],
      ['u', 'renewed'],
      ['copy', 'renewed'],
      ['u', 'copy', 'renewed'],
    ]) {
      expect(metNow(steps, ...ids)).toBe(false);
      expect(metNow([...steps].reverse(), ...ids)).toBe(false);
    }
    expect(metNow([step('SESSION'), step('SESSION')], 'copy', 'renewed')).toBe(false);
    expect(met(steps, 'u', 'copy')).toBe(true);
    expect(metNow(steps, 'u', 'other')).toBe(true);
    expect(metNow(steps, 'u', 'mail')).toBe(true);
    expect(metNow(steps, 'renewed', 'second')).toBe(true);
    expect(metNow([step('SESSION')], 'copy')).toBe(true);
  });

  test('D290: one mailbox is one factor, and a session proves neither the key nor the passkey that opened it', () => {
    expect(metNow([step('EMAIL_OTP'), step('SESSION')], 'mail', 'mail')).toBe(false);
    expect(metNow([step('EMAIL_OTP'), step('SESSION')], 'mail', 'text')).toBe(true);
    expect(metNow([step('API_KEY')], 'copy')).toBe(false);
    expect(metNow([step('OAUTH'), step('SESSION')], 'oauth', 'twin')).toBe(false);
    expect(metNow([step('OAUTH'), step('SESSION')], 'oauth', 'mail')).toBe(true);
  });

  test('D290: a session of unknown origin could be a copy of any credential, and meets no step', () => {
    expect(metNow([step('SESSION')], 'old')).toBe(false);
    expect(metNow([step('SESSION')], 'orphan')).toBe(false);
  });

  test('D290: a policy is meetable only with a root for each step', () => {
    const meetable = (...steps: ReturnType<typeof step>[]) =>
      isMeetable(where, { userId: 'u', requiredAuthenticationMethods: steps });
    expect(meetable(step('API_KEY'), step('API_KEY'), step('OAUTH'))).toBe(true);
    expect(meetable(step('API_KEY'), step('API_KEY'), step('OAUTH'), step('SESSION'))).toBe(false);
    expect(
      isMeetable(
        where,
        { userId: 'u', requiredAuthenticationMethods: [step('API_KEY'), step('API_KEY')] },
        new Set(['second-key']),
      ),
    ).toBe(false);
  });
});

describe('conditions', () => {
  const applies = (condition: string, params?: object, definition?: ActivityDefinition, rules?: number) =>
    states(condition, [step('PASSKEY')], ['u'], params, definition, rules).length === 1;
  const { createWallet, createApiKeys, createReadWriteSession, updateRootQuorum } = activities;

  test('a policy applies where its condition is true', () => {
    expect(applies("activity.kind == 'CREATE_WALLET'", {}, createWallet)).toBe(true);
    expect(applies("activity.kind == 'CREATE_USERS'", {}, createWallet)).toBe(false);
  });

  test('A22: and to every change of its user’s own credentials', () => {
    const condition = "activity.resource != 'CREDENTIAL'";
    expect(applies(condition, { userId: 'u' })).toBe(true);
    expect(applies(condition, { userId: 'another' })).toBe(false);
  });

  test('A49: and to what decides who may act, unless its condition speaks of that', () => {
    const [sign, exceptKeys] = ["activity.action == 'SIGN'", "activity.action == 'SIGN' && activity.kind != 'CREATE_API_KEYS'"];
    expect(applies(sign, { userId: 'another' }, createApiKeys)).toBe(true);
    expect(applies(exceptKeys, { userId: 'another' }, createApiKeys)).toBe(false);
    expect(applies(exceptKeys, {}, updateRootQuorum)).toBe(true);
  });

  test('D291: and to the records and names that policies trust', () => {
    const sign = "activity.action == 'SIGN'";
    const { createContacts, updateContact, deleteContacts, createTokens, deleteTokens, createOrganization } = activities;
    const { createSmartContractInterface, deleteSmartContractInterface, updateWallet } = activities;
    const { createPrivateKeyTag, updatePrivateKeyTag, deletePrivateKeyTags } = activities;
    const trusted = [
      ...[createContacts, updateContact, deleteContacts, createTokens, deleteTokens, createOrganization],
      ...[createSmartContractInterface, deleteSmartContractInterface, updateWallet],
      ...[createPrivateKeyTag, updatePrivateKeyTag, deletePrivateKeyTags],
    ];
    for (const definition of trusted) {
      expect([definition.name, applies(sign, {}, definition, 2)]).toEqual([definition.name, true]);
      expect(applies(`${sign} && activity.resource != '${definition.policy.resource}'`, {}, definition, 2)).toBe(false);
      expect(applies(sign, {}, definition, 1)).toBe(false);
    }
    const { createPrivateKeys, createWebhookEndpoint, stampLogin } = activities;
    for (const definition of [createWallet, createPrivateKeys, createWebhookEndpoint, stampLogin])
      expect(applies(sign, {}, definition, 2)).toBe(false);
  });

  test('A49: and to a session of somebody else, not to one’s own', () => {
    const opened = (params: object) => applies("activity.action == 'SIGN'", params, createReadWriteSession);
    expect([opened({}), opened({ userId: 'u' })]).toEqual([false, false]);
    expect([opened({ userId: 'another' }), opened({ email: 'another@example.com' })]).toEqual([true, true]);
  });

  test('A21: a condition that no longer compiles applies; one about another kind of activity does not', () => {
    expect(applies('activity.nothing ==', {}, createWallet)).toBe(true);
    expect(applies("activity.params.wallet_id == 'w'", {}, createWallet)).toBe(false);
  });
});

test('what a policy demands is the strongest of its steps, each by its weakest method', () => {
  const strength = (...steps: ReturnType<typeof step>[]) => demandedStrength({ requiredAuthenticationMethods: steps });
  expect(strength(step('SESSION'), step('PASSKEY'))).toBe('PASSKEY');
  expect(strength(step('PASSKEY', 'API_KEY'))).toBe('API_KEY');
  expect(strength(step('PASSKEY', 'EMAIL_OTP'))).toBe('SESSION');
});
