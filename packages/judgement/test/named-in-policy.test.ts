import { type ActivityDefinition, activities } from '@countersign/contract';
import { authorizeByPolicy, type Judgement, type PolicySubject, type Touch } from '@countersign/judgement';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgement, organization, type PolicyText, vote } from './support/world.ts';

const SIGNERS = '11111111-1111-4111-8111-111111111111';
const SUPPORT = '22222222-2222-4222-8222-222222222222';
const consensus = "approvers.any(user, user.id == 'a')";
/** What makes the tag of the signers, and two names, worth something. */
const trusting: Readonly<Record<string, PolicyText>> = {
  signers: {
    language: 2,
    condition: "activity.action == 'SIGN'",
    consensus: `approvers.any(user, user.tags.contains('${SIGNERS}') || user.alias == 'Treasurer')`,
  },
};

interface Request {
  readonly definition: ActivityDefinition;
  readonly params?: unknown;
  readonly subject?: PolicySubject;
}

/** Whether policies with these conditions allow a request of user `a`, who is not a root user. */
function allows(request: Request, conditions: readonly string[], trusted = trusting): boolean {
  const own = conditions.map((condition, index) => [`own-${index}`, { language: 3, condition, consensus }] as const);
  const where = organization([{ id: 'a' }, { id: 'b' }], { ...trusted, ...Object.fromEntries(own) });
  const asked = judgement(where, [vote('a')], { rules: 2, ...(request as Partial<Judgement>) });
  return authorizeByPolicy.decide(asked).outcome === 'ALLOW';
}

function updateUser(params: object, touches: readonly Touch[]): Request {
  const parameters = () => ({ userId: 'b', ...params });
  return { definition: activities.updateUser as never, params: parameters(), subject: { touches, parameters } };
}

const gains = (...tagIds: string[]) => updateUser({ userTagIds: tagIds }, [{ what: 'TAGS', userId: 'b', tagIds }]);
const loses = (...tagIds: string[]) => updateUser({ userTagIds: [] }, [{ what: 'TAGS', userId: 'b', tagIds, lost: true }]);
const renamed = (userName: string, before = 'b') =>
  updateUser({ userName }, [
    { what: 'NAME', userId: 'b', userName: before, lost: true },
    { what: 'NAME', userId: 'b', userName },
  ]);

function transaction(policy: object): Request {
  const parsed = { namespace: 'eth.tx', policy, effects: [], description: '', fullyParsed: true, unparsed: [] };
  return { definition: activities.signTransaction as never, params: {}, subject: { parsed: parsed as never } };
}

const TO = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const plain = { type: 'TYPE_2', to: TO, is_deployment: false, value: 0n, chain_id: 1n };
const delegation = transaction({ ...plain, type: 'TYPE_4', authorization_list: [{ address: TO, chain_id: 1n, nonce: 0n }] });
const creation = transaction({ ...plain, to: '', is_deployment: true });

const KIND = "activity.kind == 'UPDATE_USER'";

describe('D370: a narrower policy does not allow more', () => {
  test.each([
    ['a tag that is not excluded', gains(SIGNERS), `${KIND} && !activity.params.user_tag_ids.contains('${SUPPORT}')`],
    [
      'another tag beside the demanded one',
      gains(SIGNERS, SUPPORT),
      `${KIND} && activity.params.user_tag_ids.contains('${SUPPORT}')`,
    ],
    ['parameters that are not given', renamed('Treasurer'), `${KIND} && !activity.given.contains('user_tag_ids')`],
    ['the number of tags', gains(SIGNERS), `${KIND} && activity.params.user_tag_ids.count() == 1`],
    ['the word in a text', gains(SIGNERS), `${KIND} && activity.params.user_name != 'user_tag_ids' || ${KIND}`],
    ['either way', gains(SIGNERS), `${KIND} && (activity.params.user_tag_ids.contains('${SIGNERS}') || true)`],
    ['a tag that is lost', loses(SIGNERS), `${KIND} && activity.params.user_tag_ids.count() == 0`],
    ['the beginning of a name', renamed('Treasurer'), `${KIND} && activity.params.user_name[0..1] == 'T'`],
    ['a type that is excluded', delegation, "eth.tx.type != 'LEGACY'"],
    ['the number of delegations', delegation, 'eth.tx.authorization_list.count() == 1'],
    ['a receiver that is excluded', creation, "eth.tx.to != '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'"],
    ['a receiver that is excluded, written with a blank', creation, "eth.tx .to != '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'"],
  ])('%s', (_, request, condition) => {
    expect(allows(request, [condition])).toBe(false);
  });

  test.each([
    ['a demanded tag', gains(SIGNERS), `${KIND} && activity.params.user_tag_ids.contains('${SIGNERS}')`],
    [
      'one of a list of tags',
      gains(SIGNERS),
      `${KIND} && activity.params.user_tag_ids.all(t, t in ['${SUPPORT}', '${SIGNERS}'])`,
    ],
    ['a tag that no policy trusts', gains(SUPPORT), KIND],
    ['a tag that is added', gains(SIGNERS), `${KIND} && activity.added.all(t, t == '${SIGNERS}')`],
    ['a tag that is removed', loses(SIGNERS), `${KIND} && activity.removed.all(t, t == '${SIGNERS}')`],
    ['a name', renamed('Treasurer'), `${KIND} && activity.params.user_name in ['Treasurer']`],
    ['a name that no policy trusts', renamed('Clerk'), KIND],
    ['a demanded type', delegation, "eth.tx.type in ['TYPE_2', 'TYPE_4']"],
    ['a demanded delegate', delegation, `eth.tx.authorization_list.all(a, a.address == '${TO}')`],
    ['a demanded creation', creation, 'eth.tx.is_deployment && eth.tx.chain_id == 1'],
    ['a creation or a receiver', creation, `eth.tx.to == '${TO}' || eth.tx.to == ''`],
    ['a policy that says nothing of receivers', creation, 'eth.tx.chain_id == 1'],
  ])('%s is allowed', (_, request, condition) => {
    expect(allows(request, [condition])).toBe(true);
  });
});

test('D370: the kind of an activity that only changes a name names it, its resource does not', () => {
  const touches: Touch[] = [{ what: 'WALLET_NAME', walletName: 'Cold' }];
  const request = { definition: activities.updateWallet as never, params: { walletName: 'Cold' }, subject: { touches } };
  const trusted = { p: { language: 2 as const, effect: 'EFFECT_DENY' as const, condition: "wallet.label == 'Cold'" } };
  expect(allows(request, ["activity.kind == 'UPDATE_WALLET'"], trusted)).toBe(true);
  expect(allows(request, ["activity.resource == 'WALLET'"], trusted)).toBe(false);
  expect(allows(request, ["activity.resource == 'WALLET'"], {})).toBe(true);
});

describe('D371: what policies compare other than by whole values is trusted in every value', () => {
  test.each([
    ["user.alias[0..6] == 'admin-'", renamed('admin-9')],
    ['user.tags.count() >= 2', gains(SUPPORT)],
    ["user.tags.all(t, t in ['x'])", loses(SUPPORT)],
    ["user.tags.any(t, t[0..1] == '2')", gains(SUPPORT)],
  ])('%s', (reads, request) => {
    const trusted = {
      p: { language: 2 as const, condition: "activity.action == 'SIGN'", consensus: `approvers.any(user, ${reads})` },
    };
    expect(allows(request, [KIND], trusted)).toBe(false);
    expect(allows(request, [KIND], {})).toBe(true);
  });
});

describe('D393: comments', () => {
  const signers = (comment: string) => ({
    p: {
      language: 3 as const,
      condition: "activity.action == 'SIGN'",
      consensus: `# ${comment}\napprovers.any(user, user.tags.contains('${SIGNERS}'))`,
    },
  });

  test('an apostrophe in a comment does not hide a trusted tag', () => {
    expect(allows(gains(SIGNERS), [KIND], signers("The treasurer's rule"))).toBe(false);
    expect(allows(gains(SIGNERS), [KIND], signers('The rule of treasurers'))).toBe(false);
    expect(allows(gains(SUPPORT), [KIND], signers("The treasurer's rule"))).toBe(true);
  });

  test('a tag in a comment is not trusted, and a comment names nothing', () => {
    expect(allows(gains(SUPPORT), [KIND], signers(`Not for '${SUPPORT}'`))).toBe(true);
    expect(allows(gains(SIGNERS), [`${KIND} # && activity.params.user_tag_ids.contains('${SIGNERS}')`])).toBe(false);
  });
});

describe('D395, D397: beginnings, and attributes of the requester', () => {
  test.each([
    ["approvers.any(user, user.alias.startsWith('admin-'))", renamed('admin-9')],
    ["requester.alias.startsWith('admin-')", renamed('admin-9')],
    ["requester.tags.contains('11111111-1111-4111-8111-111111111111')", gains(SIGNERS)],
    ['requester.tags.count() >= 2', gains(SUPPORT)],
  ])('%s', (text, request) => {
    const trusted = { p: { language: 3 as const, condition: "activity.action == 'SIGN'", consensus: text } };
    expect(allows(request, [KIND], trusted)).toBe(false);
    expect(allows(request, [KIND], {})).toBe(true);
  });

  test('a beginning demands nothing', () => {
    expect(allows(gains(SIGNERS), [`${KIND} && activity.params.user_tag_ids.all(t, t.startsWith('1'))`])).toBe(false);
    expect(allows(gains(SIGNERS), [`${KIND} && has(activity.params.user_tag_ids)`])).toBe(false);
    expect(allows(gains(SIGNERS), [`${KIND} && activity.params.user_tag_ids.all(t, t in ['${SIGNERS}'])`])).toBe(true);
  });
});

describe('D372: an ALLOW for all changes does not reach what decides over others', () => {
  test.each([
    activities.createPolicy,
    activities.createSmartContractInterface,
    activities.createContacts,
    activities.createTokens,
  ])('$name', (definition) => {
    const request = { definition: definition as never };
    const { resource, action } = definition.policy;
    expect(allows(request, [`activity.action == '${action}'`])).toBe(false);
    expect(allows(request, [`activity.action == '${action}' && activity.resource != 'WALLET'`])).toBe(false);
    expect(allows(request, [`activity.kind[0..6] == 'CREATE'`])).toBe(false);
    expect(allows(request, [`activity.resource == '${resource}'`])).toBe(true);
  });
});

/** Conditions that demand nothing that must be named. */
const harmless = fc.constantFrom(
  'true',
  "activity.action != 'SIGN'",
  "activity.kind != 'CREATE_USER_TAG'",
  "activity.kind == 'UPDATE_USER'",
  "activity.given.contains('user_id')",
  "!activity.given.contains('user_email')",
  `!activity.params.user_tag_ids.contains('${SUPPORT}')`,
  'activity.params.user_tag_ids.count() >= 1',
  `activity.params.user_tag_ids.any(t, t != '${SUPPORT}')`,
  `activity.added.none(t, t == '${SUPPORT}')`,
  "activity.params.user_id == 'b'",
  "activity.params.user_id != 'user_tag_ids'",
);
const combined = fc.letrec<{ condition: string }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    harmless,
    fc
      .tuple(tie('condition'), fc.constantFrom('&&', '||'), tie('condition'))
      .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
    tie('condition').map((a) => `!!(${a})`),
  ),
})).condition;

test('D370: no addition that demands nothing guarded makes a policy allow more', () => {
  fc.assert(
    fc.property(combined, combined, (condition, addition) => {
      const request = gains(SIGNERS);
      if (allows(request, [`(${condition}) && (${addition})`])) expect(allows(request, [condition])).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('D370, D393: spaces, comments and quoting never change a decision', () => {
  const spaced = (condition: string, blank: string) =>
    condition.replace(/[.()[\],]|==|!=|&&|\|\|/g, (token) => `${blank}${token}${blank}`);
  const conditions = fc.oneof(
    combined,
    fc.constantFrom(
      `${KIND} && activity.params.user_tag_ids.contains('${SIGNERS}')`,
      `${KIND} && activity.added.all(t, t in ['${SIGNERS}'])`,
    ),
  );
  fc.assert(
    fc.property(
      conditions,
      fc.constantFrom(' ', '  ', '\t', '\n', " # don't && false\n", `# '${SIGNERS}'\n`),
      (condition, blank) => {
        expect(allows(gains(SIGNERS), [spaced(condition, blank)])).toBe(allows(gains(SIGNERS), [condition]));
      },
    ),
    { numRuns: 200 },
  );
});
