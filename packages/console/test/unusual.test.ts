import type { ListedActivity } from '@countersign/client';
import { activities } from '@countersign/contract';
import { CURRENT_RULES, isAuthorityActivity } from '@countersign/judgement';
import { describe, expect, test } from 'vitest';
import { sentenceFor } from '../src/pages/approvals/sentence.ts';
import { escapeInvisible } from '../src/review/escape-invisible.ts';
import type { Check, KeyClaim } from '../src/review/types.ts';
import { unusual } from '../src/review/unusual.ts';
import { words } from '../src/words/index.ts';

const around = (type: string) => ({
  ...{ knowledge: { contacts: [], tokens: [], interfaces: [] }, past: [], open: [], proven: { payments: [], isAltered: false } },
  activity: { type, votes: [] } as unknown as ListedActivity,
});
const textsOf = (type: string, parameters: Record<string, unknown>) =>
  unusual(plain(type, parameters), around(type)).map(({ text }) => text);

function plain(type: string, parameters: Record<string, unknown>): Check {
  return { state: 'plain', request: { type, organizationId: 'o', parameters }, keys: [] };
}

test('D1097: a warning about an unproven name has the id of the key, and the name does not end its quotation', () => {
  const type = 'ACTIVITY_TYPE_DELETE_WALLETS';
  const key = (id: string): KeyClaim => ({ kind: 'wallet', id, name: 'Test”, which the log proves. Not “x', proof: undefined });
  const check = { ...plain(type, {}), keys: [key('w1'), key('w2')] } as Check;
  const found = unusual(check, around(type)).map(({ text }) => text);
  const warning = (id: string) =>
    `The service calls the wallet ${id} “Test', which the log proves. Not 'x”, and its log does not prove this name`;
  expect(found).toEqual(expect.arrayContaining(['w1', 'w2'].map(warning)));
});

describe('texts that an approver reads', () => {
  test.each([
    ['a right-to-left override', 'up to 1\u202e000 ETH'],
    ['an isolate', '\u2067Acme\u2069'],
    ['a zero-width space', 'Trea\u200bsury'],
    ['a blank letter', 'Acme\u3164'],
    ['a tag character', 'Acme\u{e0041}'],
    ['a line separator', 'Acme\u2028Approved'],
    ['a variation selector', 'Acme\ufe0f'],
    ['a grapheme joiner', 'Ac\u034fme'],
    ['an empty braille cell', 'Acme\u2800'],
    ['a null note head', 'Acme\u{1d159}'],
    ['a Khitan filler', 'Acme\u{16fe4}'],
    ['a blank hieroglyph', 'Acme\u{13441}'],
    ['a placeholder of objects', 'Acme\ufffc'],
    ['a no-break space', 'Acme\u00a0GmbH'],
    ['a narrow no-break space', 'Acme\u202fGmbH'],
    ['a wide space', 'Acme\u3000GmbH'],
    ['a text style of what is text by itself', 'Acme©\ufe0e'],
    ['an emoji style of what is an emoji by itself', 'Acme\u{1f600}\ufe0f'],
  ])('D211: %s is escaped', (_, text) => {
    expect(escapeInvisible(text)).not.toMatch(
      /(?! )[\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{13441}\u{16fe4}\u{1d159}]/u,
    );
    const activity = { type: 'ACTIVITY_TYPE_CREATE_POLICY_V3' } as ListedActivity;
    const sentence = sentenceFor(activity, plain(activity.type, { policyName: text }));
    expect(sentence).toBe(`create policy “${escapeInvisible(text)}”`);
  });

  test('other text is unchanged, including line breaks', () => {
    const text = "approvers.count() >= 2\n\t&& wallet.name == 'Grüße 日本 עברית ❤\ufe0f ©\ufe0f \u{1f600}\ufe0e'";
    expect(escapeInvisible(text)).toBe(text);
  });

  test.each([
    ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', { payload: 'ab' }],
    ['ACTIVITY_TYPE_SIGN_RAW_PAYLOADS', { payloads: ['ab', 'cd'] }],
  ])('D213: a payload that cannot be decoded is reported: %s', (type, parameters) => {
    expect(textsOf(type, parameters)).toEqual([words.approvals.unusualWords.raw]);
    expect(textsOf('ACTIVITY_TYPE_CREATE_WALLET', { walletName: 'a' })).toEqual([]);
  });
});

/** Activities that decide who may act, or that policies trust, and that are approved with one touch. */
const quiet = new Set([
  // A freeze stops people and keys, and gives nobody a right. So does a new limit.
  'ACTIVITY_TYPE_FREEZE',
  'ACTIVITY_TYPE_CREATE_VELOCITY_CONTROL',
  // It ends an invitation that nobody has accepted.
  'ACTIVITY_TYPE_DELETE_INVITATION',
  // Where the submitter gets notifications.
  'ACTIVITY_TYPE_CREATE_PUSH_SUBSCRIPTION',
  'ACTIVITY_TYPE_DELETE_PUSH_SUBSCRIPTION',
  // A name for people. No policy reads it.
  'ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME',
  // The address book. Warnings of the service say which policies then allow more, and which addresses look alike.
  'ACTIVITY_TYPE_CREATE_CONTACTS',
  'ACTIVITY_TYPE_UPDATE_CONTACT',
  'ACTIVITY_TYPE_DELETE_CONTACTS',
  'ACTIVITY_TYPE_CREATE_TOKENS',
  'ACTIVITY_TYPE_DELETE_TOKENS',
]);

describe('activities that change authority', () => {
  const versions = Object.values(activities).flatMap((definition) =>
    definition.versions.map(({ type }) => ({ definition, type })),
  );
  const isAuthority = ({ definition, type }: (typeof versions)[number]) =>
    isAuthorityActivity({ definition: definition as never, type, rules: CURRENT_RULES });
  const authority = versions.filter(isAuthority).map(({ type }) => type);

  test.each(authority.filter((type) => !quiet.has(type)))('D1103: %s needs a second step', (type) => {
    expect(unusual(plain(type, {}), around(type))).toMatchObject([{ risk: 'high', isDeliberate: true }]);
  });

  test('D1103: the exceptions are activities that change authority, and have no finding', () => {
    expect(authority).toEqual(expect.arrayContaining([...quiet]));
    for (const type of quiet) expect(textsOf(type, {}), type).toEqual([]);
  });

  test('D1103: names, tags and interfaces that policies depend on, and keys and secrets that end, have texts of their own', () => {
    const { trusted, disables, destroysSecrets } = words.approvals.unusualWords;
    for (const type of ['UPDATE_WALLET', 'DELETE_PRIVATE_KEY_TAGS', 'CREATE_SMART_CONTRACT_INTERFACE'])
      expect(textsOf(`ACTIVITY_TYPE_${type}`, {})).toEqual([trusted]);
    expect(textsOf('ACTIVITY_TYPE_DISABLE_PRIVATE_KEY', {})).toEqual([disables]);
    expect(textsOf('ACTIVITY_TYPE_DELETE_SECRETS', {})).toEqual([destroysSecrets]);
  });
});
