import { describe, expect, test } from 'vitest';
import { type ActivityWords, type LintOptions, lintPolicies, type PolicySource, policyReach } from '../src/index.ts';
import { type PolicyWarning, type WarningCode, warningCodes } from '../src/lint/warning.ts';
import { users } from './support/decisions.ts';
import { host } from './support/host.ts';

const A = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const now = Date.parse('2026-03-02T15:00:00Z');
const bob = "approvers.any(user, user.id == 'u-bob')";
const alice = "approvers.any(user, user.id == 'u-alice')";

/** `lint-holes.test.ts` tests these. */
const holes: readonly WarningCode[] = [
  'DEAD_COMPARISON',
  'DENY_SIDESTEPPED',
  'RECEIVER_NOT_CHECKED',
  'TRANSACTION_NOT_LIMITED',
  'UNIT_WITHOUT_ASSET',
  // In payment-holes.test.ts.
  'EFFECTS_NOT_LIMITED',
  'TOKENS_NOT_LIMITED',
  'TOTAL_WITHOUT_ASSET',
  'USE_PAYMENTS',
  'SYMBOL_COMPARED',
  // In packages/policy/test/lint-limits.test.ts.
  'OTHER_ASSETS_FREE',
  'OTHER_ASSETS_DENIED',
  // In packages/judgement/test/activity-expression-lint.test.ts.
  'EVERY_OPERAND',
  'QUOTED_INTEGER',
  'ROOT_NOT_BOUND',
];

const activities: readonly ActivityWords[] = [
  words('CREATE_WALLET', 'WALLET', 'CREATE'),
  words('DELETE_USERS', 'USER', 'DELETE'),
  words('CREATE_API_KEYS', 'CREDENTIAL', 'CREATE', ['', '_V2']),
  words('DELETE_API_KEYS', 'CREDENTIAL', 'DELETE'),
  words('CREATE_READ_WRITE_SESSION', 'AUTH', 'CREATE', ['', '_V2']),
  words('SIGN_TRANSACTION', 'PRIVATE_KEY', 'SIGN', ['', '_V2']),
  words('SIGN_RAW_PAYLOAD', 'PRIVATE_KEY', 'SIGN'),
].flat();

function words(kind: string, resource: string, action: string, versions = ['']): readonly ActivityWords[] {
  return versions.map((version) => ({ type: `ACTIVITY_TYPE_${kind}${version}`, kind, resource, action }));
}

const allow = (id: string, rest: Partial<PolicySource> = {}): PolicySource => ({ id, effect: 'EFFECT_ALLOW', ...rest });
const deny = (id: string, rest: Partial<PolicySource> = {}): PolicySource => ({ id, effect: 'EFFECT_DENY', ...rest });

describe('NEVER_MATCHES', () => {
  test.each([
    ['two kinds at once', "activity.kind == 'CREATE_WALLET' && activity.kind == 'DELETE_USERS'"],
    ['a value that is excluded', "activity.action == 'SIGN' && activity.action != 'SIGN'"],
    ['a value that is excluded by a negation', "activity.action == 'SIGN' && !(activity.action in ['SIGN', 'EXPORT'])"],
    [
      'lists without a common element',
      "activity.action in ['SIGN', 'EXPORT'] && (activity.action == 'CREATE' || activity.action == 'DELETE')",
    ],
    ['bounds that cross', 'eth.tx.value > 10 && eth.tx.value < 5'],
    ['bounds that leave nothing', 'eth.tx.value > 10 && 11 > eth.tx.value'],
    ['a number outside its bounds', 'eth.tx.value == 3 && eth.tx.value >= 5'],
    ['a count that cannot be', 'solana.tx.transfers.count() == 1 && solana.tx.transfers.count() > 1'],
    ['false', "activity.action == 'SIGN' && false"],
    ['two chains', `eth.tx.to == '${A}' || solana.tx.transfers.count() > 0`],
    ['a wallet and a private key', "wallet.id == 'a' || private_key.id == 'b'"],
  ])('%s', (_, condition) => {
    expect(codes([deny('p', { condition })])).toEqual(['NEVER_MATCHES']);
  });

  test.each([
    ['a parameter of another kind', "activity.kind == 'CREATE_WALLET' && activity.params.user_ids.count() == 1"],
    ['a parameter of another action', "activity.action == 'SIGN' && activity.params.user_ids.count() == 1"],
    ['a transaction in another kind', "activity.kind == 'CREATE_WALLET' && eth.tx.value > 5"],
    ['parameters that no kind has together', "activity.params.user_id == 'u' || activity.params.user_ids.contains('u')"],
  ])('%s', (_, condition) => {
    for (const policy of [allow('p', { condition }), deny('p', { condition })]) {
      const [found] = lint([policy], { activities }).filter(({ code }) => code !== 'VACUOUS_ALL');
      expect(found).toMatchObject({ code: 'NEVER_MATCHES', policyId: 'p', field: 'condition' });
      expect(found?.message).toMatch(/^no activity that it asks for has `/);
      expect(found?.help).toContain('exists for');
    }
  });

  test.each([
    ['bounds that touch', 'eth.tx.value >= 5 && eth.tx.value <= 5'],
    ['alternatives', "activity.kind == 'CREATE_WALLET' || activity.kind == 'DELETE_USERS'"],
    [
      'a parameter of one of its kinds',
      "activity.kind in ['CREATE_WALLET', 'DELETE_USERS'] && activity.params.user_ids.count() == 1",
    ],
    ['elements of a list', 'solana.tx.transfers.any(t, t.amount == 1) && solana.tx.transfers.any(t, t.amount == 2)'],
  ])('not: %s', (_, condition) => {
    expect(codes([deny('p', { condition })])).toEqual([]);
  });

  test('in time, and EXPIRED', () => {
    const time = "time.now >= Timestamp('2026-03-01T00:00:00Z') && time.now < Timestamp('2026-02-01T00:00:00Z')";
    expect(codes([deny('p', { condition: 'eth.tx.value > 1', time })])).toEqual(['NEVER_MATCHES']);
    expect(
      codes([deny('p', { condition: 'eth.tx.value > 1', time: "time.now < Timestamp('2026-02-01T00:00:00Z')" })], { now }),
    ).toEqual(['EXPIRED']);
    expect(
      codes([deny('p', { condition: 'eth.tx.value > 1', time: "time.now < Timestamp('2026-04-01T00:00:00Z')" })], { now }),
    ).toEqual([]);
  });
});

describe('APPLIES_TO', () => {
  const user = "activity.params.user_id == 'u-bob'";
  const told = (policy: PolicySource) => lint([policy], { activities }).filter(({ code }) => code === 'APPLIES_TO');

  test('a DENY says where it stops something, and that it stops nothing elsewhere', () => {
    expect(told(deny('p', { condition: user }))).toEqual([
      {
        code: 'APPLIES_TO',
        policyId: 'p',
        field: 'condition',
        span: { start: 0, end: 23 },
        message:
          'it can apply to CREATE_API_KEYS, DELETE_API_KEYS and CREATE_READ_WRITE_SESSION only: other activities have no `activity.params.user_id`',
        help: 'this DENY stops nothing there',
        appliesTo: ['CREATE_API_KEYS', 'DELETE_API_KEYS', 'CREATE_READ_WRITE_SESSION'],
      },
    ]);
    expect(told(deny('p', { condition: 'eth.tx.value > 5' }))[0]?.appliesTo).toEqual(['SIGN_TRANSACTION']);
  });

  test('an ALLOW on a parameter says what else it allows', () => {
    expect(told(allow('p', { condition: user }))[0]).toMatchObject({ help: expect.stringContaining('activity.kind') });
    expect(told(allow('p', { condition: 'eth.tx.value > 5' }))).toEqual([]);
  });

  test('single versions are named as such', () => {
    const condition = `${user} && activity.type != 'ACTIVITY_TYPE_CREATE_API_KEYS' && activity.action == 'CREATE'`;
    expect(policyReach(deny('p', { condition }), { ...host, activities })).toEqual({
      appliesTo: ['ACTIVITY_TYPE_CREATE_API_KEYS_V2', 'CREATE_READ_WRITE_SESSION'],
      everything: false,
      queries: [],
    });
  });

  test.each([
    ['nothing but its kind', "activity.kind == 'CREATE_WALLET'"],
    ['a kind that has the parameter', `${user} && activity.kind in ['CREATE_API_KEYS', 'DELETE_API_KEYS']`],
    ['a resource of which all activities have it', `${user} && activity.resource == 'CREDENTIAL'`],
    ['which parameters are given', "activity.given.contains('user_id')"],
  ])('not: a policy that names %s', (_, condition) => {
    expect(told(deny('p', { condition }))).toEqual([]);
  });

  test('the reach of a policy is known without a warning too', () => {
    const reach = (condition?: string) => policyReach(deny('p', { condition }), { ...host, activities });
    expect(reach()).toMatchObject({ everything: true });
    expect(reach("activity.kind == 'CREATE_WALLET'")).toEqual({ appliesTo: ['CREATE_WALLET'], everything: false, queries: [] });
    expect(reach('nonsense')).toBeUndefined();
  });
});

describe('SHADOWED and REDUNDANT', () => {
  const sign = "activity.action == 'SIGN'";

  test('an ALLOW under a DENY that is at least as wide', () => {
    const policies = [allow('a', { condition: `${sign} && wallet.id == 'w'`, consensus: bob }), deny('d', { condition: sign })];
    expect(lint(policies)).toMatchObject([{ code: 'SHADOWED', policyId: 'a', related: ['d'] }]);
  });

  test('a DENY that lists more values', () => {
    const policies = [
      allow('a', { condition: sign, consensus: bob }),
      deny('d', { condition: "activity.action in ['EXPORT', 'SIGN']" }),
    ];
    expect(lint(policies)).toMatchObject([{ code: 'SHADOWED', policyId: 'a', related: ['d'] }]);
  });

  test('not under a DENY that is narrower, for others, or for a time', () => {
    const a = allow('a', { condition: sign, consensus: bob });
    expect(codes([a, deny('d', { condition: `${sign} && wallet.id == 'w'` })])).toEqual([]);
    expect(codes([a, deny('d', { condition: sign, consensus: alice })])).toEqual([]);
    expect(codes([a, deny('d', { condition: sign, time: "time.now > Timestamp('2026-03-01T00:00:00Z')" })])).toEqual([]);
  });

  test('the later of two that say the same, whatever their layout', () => {
    const policies = [allow('a', { condition: sign, consensus: bob }), allow('b', { condition: `( ${sign} )`, consensus: bob })];
    expect(lint(policies)).toMatchObject([{ code: 'REDUNDANT', policyId: 'b', related: ['a'] }]);
  });

  test('an ALLOW for one of several people who already have it', () => {
    const wide = "approvers.any(user, user.id in ['u-alice', 'u-bob'])";
    expect(
      lint([allow('narrow', { condition: sign, consensus: bob }), allow('wide', { condition: sign, consensus: wide })]),
    ).toMatchObject([{ code: 'REDUNDANT', policyId: 'narrow', related: ['wide'] }]);
  });
});

describe('D37: RAW_SIGNING_SIDESTEP', () => {
  const rule = allow('rule', { condition: `eth.tx.to == '${A}' && tx.fully_parsed`, consensus: bob });

  test('an ALLOW for all signing by the same people', () => {
    expect(lint([rule, allow('door', { condition: "activity.action == 'SIGN'", consensus: bob })])).toMatchObject([
      { code: 'RAW_SIGNING_SIDESTEP', policyId: 'rule', related: ['door'] },
    ]);
  });

  test('a DENY about transactions is sidestepped as well', () => {
    const policies = [
      deny('rule', { condition: `eth.tx.to == '${A}'` }),
      allow('door', { condition: "activity.kind in ['SIGN_RAW_PAYLOAD', 'SIGN_TRANSACTION']", consensus: bob }),
    ];
    expect(codes(policies)).toEqual(['RAW_SIGNING_SIDESTEP']);
    expect(lint(policies)[0]?.help).toContain('FEATURE_NAME_NO_BLIND_HASHES');
  });

  test('D472: with the switch, the author of a DENY reads that its keys sign no hashes, and an ALLOW is still sidestepped', () => {
    const door = allow('door', { condition: "activity.action == 'SIGN'", consensus: bob });
    const denial = deny('denial', { condition: `effects.any(e, e.to == '${A}')` });
    const codesWith = (hashes: 'covered' | 'all' | 'none') =>
      lint([door, denial, rule], { hashes })
        .filter(({ code }) => code === 'RAW_SIGNING_SIDESTEP' || code === 'HASHES_DENIED')
        .map(({ code, policyId }) => [policyId, code]);
    expect(codesWith('none')).toEqual([
      ['denial', 'RAW_SIGNING_SIDESTEP'],
      ['rule', 'RAW_SIGNING_SIDESTEP'],
    ]);
    for (const hashes of ['covered', 'all'] as const)
      expect(codesWith(hashes)).toEqual([
        ['denial', 'HASHES_DENIED'],
        ['rule', 'RAW_SIGNING_SIDESTEP'],
      ]);
  });

  test.each([
    ['other people', allow('door', { condition: "activity.action == 'SIGN'", consensus: alice })],
    ['transactions only', allow('door', { condition: "activity.kind == 'SIGN_TRANSACTION'", consensus: bob })],
    [
      'anything but raw payloads',
      allow('door', {
        condition: "activity.action == 'SIGN' && !(activity.kind in ['SIGN_RAW_PAYLOAD', 'SIGN_RAW_PAYLOADS'])",
        consensus: bob,
      }),
    ],
    [
      'typed data only',
      allow('door', { condition: "activity.action == 'SIGN' && eth.eip_712.primary_type == 'Permit'", consensus: bob }),
    ],
    [
      'the encoding of typed data only',
      allow('door', { condition: "activity.params.encoding == 'PAYLOAD_ENCODING_EIP712'", consensus: bob }),
    ],
  ])('not with %s', (_, door) => {
    expect(codes([rule, door])).toEqual([]);
  });

  test('not when a DENY closes raw signing altogether', () => {
    const door = allow('door', { condition: "activity.action == 'SIGN'", consensus: bob });
    const half = deny('close', { condition: "activity.kind == 'SIGN_RAW_PAYLOAD'" });
    const whole = deny('close', { condition: "activity.kind in ['SIGN_RAW_PAYLOAD', 'SIGN_RAW_PAYLOADS']" });
    expect(codes([rule, door, half])).toEqual(['RAW_SIGNING_SIDESTEP']);
    expect(codes([rule, door, whole])).toEqual([]);
  });
});

describe('gaps, width and people', () => {
  test('VACUOUS_ALL, unless the list cannot be empty', () => {
    const all = 'solana.tx.transfers.all(t, t.amount < 5)';
    expect(codes([allow('p', { condition: all, consensus: bob })])).toEqual(['VACUOUS_ALL']);
    expect(codes([allow('p', { condition: `${all} && solana.tx.transfers.count() > 0`, consensus: bob })])).toEqual([]);
    expect(codes([allow('p', { condition: `${all} && solana.tx.transfers.count == 1`, consensus: bob })])).toEqual([]);
    expect(codes([deny('p', { condition: all })])).toEqual([]);
    // `effects` is never empty if present.
    expect(codes([allow('p', { condition: "effects.all(e, e.kind == 'FEE')", consensus: bob })])).toEqual([]);
  });

  test('D42: CALL_NOT_CHECKED, unless the call is looked at', () => {
    expect(codes([allow('p', { condition: `eth.tx.to == '${A}'`, consensus: bob })])).toEqual(['CALL_NOT_CHECKED']);
    for (const more of ['tx.fully_parsed', "eth.tx.function_name == 'transfer'", "eth.tx.data[0..10] == '0xa9059cbb'"]) {
      expect(codes([allow('p', { condition: `eth.tx.to == '${A}' && ${more}`, consensus: bob })])).toEqual([]);
    }
  });

  test('ALLOWS_EVERYTHING and LOCKS_OUT', () => {
    expect(codes([allow('p', { consensus: bob })])).toEqual(['ALLOWS_EVERYTHING']);
    expect(codes([allow('p', { condition: 'true' })])).toEqual(['ALLOWS_EVERYTHING']);
    expect(codes([deny('p')])).toEqual(['LOCKS_OUT']);
    expect(codes([deny('p', { consensus: bob })])).toEqual([]);
  });

  test('UNREACHABLE_CONSENSUS and ROOT_QUORUM_UNREACHABLE', () => {
    const organization = { users, rootQuorum: { threshold: 2, userIds: ['u-root-1', 'u-root-2'] } };
    const condition = "activity.action == 'SIGN'";
    expect(codes([allow('p', { condition, consensus: "approvers.any(user, user.id == 'u-nobody')" })], { organization })).toEqual(
      ['UNREACHABLE_CONSENSUS'],
    );
    expect(
      codes([allow('p', { condition, consensus: "approvers.filter(user, user.tags.contains('t-ops')).count() >= 3" })], {
        organization,
      }),
    ).toEqual([]);
    expect(
      codes([allow('p', { condition, consensus: "approvers.filter(user, user.tags.contains('t-ops')).count() >= 4" })], {
        organization,
      }),
    ).toEqual(['UNREACHABLE_CONSENSUS']);
    expect(codes([allow('p', { condition, consensus: 'approvers.count() == 1' })], { organization })).toEqual([
      'APPROVAL_CAN_BLOCK',
    ]);
    for (const rootQuorum of [
      { threshold: 3, userIds: ['u-root-1', 'u-root-2'] },
      { threshold: 0, userIds: ['u-root-1'] },
      { threshold: 1, userIds: ['u-gone'] },
    ]) {
      expect(codes([], { organization: { ...organization, rootQuorum } })).toEqual(['ROOT_QUORUM_UNREACHABLE']);
    }
  });

  test('only policies in focus are warned about, and broken ones are passed over', () => {
    const policies = [
      allow('old', { consensus: bob }),
      allow('new', { consensus: alice }),
      allow('broken', { condition: 'nonsense' }),
    ];
    expect(lint(policies, { focus: ['new', 'broken'] })).toMatchObject([{ policyId: 'new' }]);
  });
});

describe('NOT_OFFERED', () => {
  const notOffered = { 'activity.type': ['ACTIVITY_TYPE_ETH_SEND_TRANSACTION'], 'activity.kind': ['ETH_SEND_TRANSACTION'] };

  test.each([
    ["activity.type == 'ACTIVITY_TYPE_ETH_SEND_TRANSACTION'", 1],
    ["activity.type != 'ACTIVITY_TYPE_ETH_SEND_TRANSACTION'", 1],
    ["activity.kind in ['SIGN_TRANSACTION', 'ETH_SEND_TRANSACTION'] && activity.action == 'SIGN'", 1],
    ["activity.kind == 'SIGN_TRANSACTION'", 0],
    ["activity.kind == 'SIGN_TRANSACTION' && activity.action == 'SIGN'", 0],
  ])('%s', (condition, count) => {
    const found = lint([deny('p', { condition })], { notOffered }).filter(({ code }) => code === 'NOT_OFFERED');
    expect(found).toHaveLength(count);
    for (const { message } of found) expect(message).toContain('ETH_SEND_TRANSACTION');
  });
});

test('every warning is tested here', () => {
  const tested: readonly WarningCode[] = [
    'NEVER_MATCHES',
    'APPLIES_TO',
    'EXPIRED',
    'UNREACHABLE_CONSENSUS',
    'APPROVAL_CAN_BLOCK',
    'SHADOWED',
    'REDUNDANT',
    'RAW_SIGNING_SIDESTEP',
    'HASHES_DENIED',
    'VACUOUS_ALL',
    'NOT_OFFERED',
    // In reading.test.ts.
    'NOT_FOR_READING',
    'CALL_NOT_CHECKED',
    'ALLOWS_EVERYTHING',
    'LOCKS_OUT',
    'ROOT_QUORUM_UNREACHABLE',
  ];
  expect(Object.keys(warningCodes)).toEqual(expect.arrayContaining([...tested]));
  expect(Object.keys(warningCodes).filter((code) => !tested.includes(code as WarningCode))).toEqual([...holes]);
});

/** Without the warnings that `lint-holes.test.ts` tests. */
function lint(policies: readonly PolicySource[], options: LintOptions = {}): readonly PolicyWarning[] {
  return lintPolicies(policies, { ...host, ...options }).filter(({ code }) => !holes.includes(code));
}

function codes(policies: readonly PolicySource[], options: LintOptions = {}): readonly WarningCode[] {
  return lint(policies, options).map(({ code }) => code);
}
