import { describe, expect, test } from 'vitest';
import { type ActivityWords, compilePolicies, decide, type LintOptions, lintPolicies, type PolicySource } from '../src/index.ts';
import type { WarningCode } from '../src/lint/warning.ts';
import { toRequest, users } from './support/decisions.ts';
import { host } from './support/host.ts';

const A = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const bob = "approvers.any(user, user.id == 'u-bob')";
const limited = 'eth.tx.chain_id == 1 && tx.max_fee <= 0.01 ETH && tx.fully_parsed';

const activities: readonly ActivityWords[] = [
  ['SIGN_TRANSACTION', ['', '_V2']],
  ['SIGN_RAW_PAYLOAD', ['', '_V2']],
  ['SIGN_RAW_PAYLOADS', ['']],
].flatMap(([kind, versions]) =>
  (versions as string[]).map((version) => ({
    type: `ACTIVITY_TYPE_${kind}${version}`,
    kind: kind as string,
    resource: 'PRIVATE_KEY',
    action: 'SIGN',
  })),
);

const allow = (id: string, condition: string, consensus = bob): PolicySource => ({
  id,
  effect: 'EFFECT_ALLOW',
  condition,
  consensus,
});
const deny = (id: string, condition: string): PolicySource => ({ id, effect: 'EFFECT_DENY', condition });

function found(code: WarningCode, policies: readonly PolicySource[], options: LintOptions = {}) {
  return lintPolicies(policies, { ...host, activities, ...options }).filter((warning) => warning.code === code);
}

describe('D86: DEAD_COMPARISON', () => {
  test.each([
    ["eth.tx.function_signature == 'a9059cbb'", "write '0xa9059cbb'", { 'eth.tx.function_signature': '0xa9059cbb' }],
    ["eth.tx.function_signature in ['0x095ea7b3', 'A9059CBB']", "write '0xa9059cbb'", undefined],
    ["eth.tx.data[0..8] == 'a9059cbb'", "write '0xa9059cbb'", undefined],
    [
      "eth.tx.data[0..8] == '0xa9059cbb'",
      'take a slice of 10 characters, or a literal of 8',
      { 'eth.tx.data[0..8]': '0xa9059c' },
    ],
    ["eth.tx.data[0..4] == 'a9059cbb'", "write '0xa9059cbb'", undefined],
    ["eth.tx.data[2..10] == 'a9059cb'", 'take a slice of 7 characters, or a literal of 8', undefined],
    ["wallet.label[0..3] == 'cold'", 'take a slice of 4 characters, or a literal of 3', { 'wallet.label[0..3]': 'col' }],
    ["solana.tx.instructions.any(i, i.instruction_data_hex == '0x02')", "write '02'", { 'i.instruction_data_hex': '02' }],
    ["tron.tx.contract.any(c, c.data[0..8] == '0xa9059c')", "write 'a9059c'", undefined],
  ])('%s', (condition, help, example) => {
    for (const policy of [deny('p', condition), allow('p', condition)]) {
      const [warning, ...others] = found('DEAD_COMPARISON', [policy]);
      expect(others).toEqual([]);
      expect(warning).toMatchObject({ policyId: 'p', help, ...(example !== undefined && { example }) });
      expect(warning?.message).toContain('so this is never true');
    }
  });

  test('a negated one is always true', () => {
    expect(found('DEAD_COMPARISON', [deny('p', "eth.tx.function_signature != 'a9059cbb'")])[0]?.message).toContain('always true');
  });

  test.each([
    "eth.tx.function_signature == '0xa9059cbb'",
    "eth.tx.data[0..10] == '0xa9059cbb'",
    "eth.tx.data[2..10] == 'a9059cbb'",
    "eth.tx.data == '0x'",
    "solana.tx.instructions.any(i, i.instruction_data_hex[0..8] == '02000000')",
    "wallet.label[0..4] == 'cold'",
    "eth.tx.contract_call_args['note'][0..3] == 'abcd'",
  ])('not: %s', (condition) => {
    expect(found('DEAD_COMPARISON', [deny('p', condition)])).toEqual([]);
  });

  test('what it warns about indeed never denies', () => {
    const policies = [deny('d', "eth.tx.data[2..10] == '0xa9059cbb'"), allow('a', 'eth.tx.value >= 0')];
    expect(found('DEAD_COMPARISON', policies)).toHaveLength(1);
    expect(decide(compilePolicies(policies, host), toRequest('eth-token-transfer', ['u-bob'])).outcome).toBe('ALLOW');
  });
});

describe('D87: a DENY that can be walked around', () => {
  test.each([
    ["activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2'", ['ACTIVITY_TYPE_SIGN_TRANSACTION']],
    [
      "activity.type == 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'",
      ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD', 'ACTIVITY_TYPE_SIGN_RAW_PAYLOADS'],
    ],
    ["activity.kind == 'SIGN_RAW_PAYLOAD'", ['ACTIVITY_TYPE_SIGN_RAW_PAYLOADS']],
    ["activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION' && eth.tx.value > 1 ETH", ['ACTIVITY_TYPE_SIGN_TRANSACTION_V2']],
  ])('DENY_SIDESTEPPED: %s', (condition, types) => {
    const [warning] = found('DENY_SIDESTEPPED', [deny('p', condition)]);
    for (const type of types) expect(warning?.message).toContain(type);
    expect(warning?.example).toMatchObject({ 'activity.type': types[0] });
    expect(warning?.help).toContain('activity.kind');
    expect(found('DENY_SIDESTEPPED', [allow('p', condition)])).toEqual([]);
  });

  test.each([
    "activity.kind == 'SIGN_TRANSACTION'",
    "activity.kind in ['SIGN_RAW_PAYLOAD', 'SIGN_RAW_PAYLOADS']",
    "activity.resource == 'PRIVATE_KEY' && activity.action == 'SIGN'",
    "activity.type in ['ACTIVITY_TYPE_SIGN_TRANSACTION', 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2']",
    "activity.kind == 'SIGN_RAW_PAYLOAD' && eth.eip_712.primary_type == 'Permit'",
  ])('not DENY_SIDESTEPPED: %s', (condition) => {
    expect(found('DENY_SIDESTEPPED', [deny('p', condition)])).toEqual([]);
  });

  test('RECEIVER_NOT_CHECKED', () => {
    const [warning] = found('RECEIVER_NOT_CHECKED', [deny('p', `eth.tx.to == '${A}'`)]);
    expect(warning?.help).toContain(`effects.any(e, e.to == '${A.toLowerCase()}')`);
    expect(warning?.example).toMatchObject({ 'effects[0].to': A.toLowerCase() });
    expect(found('RECEIVER_NOT_CHECKED', [deny('p', `eth.tx.to in ['${A}']`)])).toHaveLength(1);
    expect(found('RECEIVER_NOT_CHECKED', [deny('p', "eth.tx.to in contacts.tagged('blocked')")])).toHaveLength(1);
    for (const condition of [
      `eth.tx.to != '${A}'`,
      `eth.tx.to == '${A}' && eth.tx.function_name == 'transfer'`,
      `effects.any(e, e.to == '${A}')`,
    ])
      expect(found('RECEIVER_NOT_CHECKED', [deny('p', condition)]), condition).toEqual([]);
    expect(found('RECEIVER_NOT_CHECKED', [allow('p', `eth.tx.to == '${A}'`)])).toEqual([]);
  });

  test('the rule that it suggests sees the receiver of a token', () => {
    const around = compilePolicies([deny('d', `eth.tx.to == '${A}'`), allow('a', 'tx.fully_parsed')], host);
    const closed = compilePolicies([deny('d', `effects.any(e, e.to == '${A}')`), allow('a', 'tx.fully_parsed')], host);
    expect(decide(around, toRequest('effects-pay', ['u-bob'])).outcome).toBe('ALLOW');
    expect(decide(closed, toRequest('effects-pay', ['u-bob'])).outcome).toBe('DENY');
    expect(decide(closed, toRequest('effects-approve', ['u-bob'])).outcome).toBe('ALLOW');
  });

  test('RAW_SIGNING_SIDESTEP is about the door when only the door is new', () => {
    const rule = allow('rule', `eth.tx.to == '${A}' && ${limited}`);
    const door = allow('door', "activity.kind == 'SIGN_RAW_PAYLOAD'");
    const warned = (focus?: readonly string[]) =>
      found('RAW_SIGNING_SIDESTEP', [rule, door], focus === undefined ? {} : { focus }).map(({ policyId, related }) => [
        policyId,
        related,
      ]);
    expect(warned(['door'])).toEqual([['door', ['rule']]]);
    expect(warned(['rule'])).toEqual([['rule', ['door']]]);
    expect(warned()).toEqual([['rule', ['door']]]);
    expect(found('RAW_SIGNING_SIDESTEP', [rule, door], { focus: ['door'] })[0]?.example).toMatchObject({
      'activity.kind': 'SIGN_RAW_PAYLOAD',
    });
    expect(found('RAW_SIGNING_SIDESTEP', [door], { focus: ['door'] })).toEqual([]);
  });

  test('ROOT_NOT_BOUND', () => {
    const told = (threshold: number, userIds: readonly string[], policies = [deny('d', 'eth.tx.value > 1 ETH')]) =>
      found('ROOT_NOT_BOUND', policies, { organization: { users, rootQuorum: { threshold, userIds } } });
    expect(told(1, ['u-root-1'])).toMatchObject([{ related: ['d'], example: { 'approvers[0].id': 'u-root-1' } }]);
    expect(told(1, ['u-root-1', 'u-root-2'])[0]?.message).toContain('each of the 2 root users');
    expect(told(2, ['u-root-1', 'u-root-2'])).toEqual([]);
    expect(told(1, ['u-root-1'], [allow('a', 'eth.tx.value > 1 ETH')])).toEqual([]);
  });
});

describe('D88: TRANSACTION_NOT_LIMITED', () => {
  test.each([
    [`eth.tx.to == '${A}'`, 'the fee and the chain'],
    ['eth.tx.value <= 1 ETH', 'the fee, the chain and what else it does'],
    ["activity.kind == 'SIGN_TRANSACTION'", 'the fee, the chain and what else it does'],
    ['eth.tx.value <= 1 ETH && eth.tx.chain_id == 1', 'the fee and what else it does'],
    ['solana.tx.transfers.count() == 1', 'the fee and what else it does'],
    ['bitcoin.tx.fee < 1000 sat', 'what else it does'],
    ['tx.fully_parsed', 'the fee and the chain'],
    ["effects.all(e, e.symbol == 'ETH')", 'the fee and the chain'],
  ])('%s', (condition, missing) => {
    const [warning, ...others] = found('TRANSACTION_NOT_LIMITED', [allow('p', condition)]);
    expect(others).toEqual([]);
    expect(warning?.message).toBe(`it says nothing about ${missing}`);
    expect(Object.keys(warning?.example ?? {}).length).toBeGreaterThan(0);
    expect(found('TRANSACTION_NOT_LIMITED', [deny('p', condition)])).toEqual([]);
  });

  test.each([
    limited,
    "eth.tx.chain_id == 1 && effects.filter(e, e.kind == 'FEE').all(e, e.amount < 5 gwei)",
    'tx.max_cost < 1 ETH && eth.tx.chain_id == 1 && tx.fully_parsed',
    "activity.kind == 'CREATE_WALLET'",
    "eth.eip_712.primary_type == 'Permit' && effects.none(e, e.unlimited)",
    "activity.kind == 'SIGN_RAW_PAYLOAD' && effects.none(e, e.unlimited)",
  ])('not: %s', (condition) => {
    expect(found('TRANSACTION_NOT_LIMITED', [allow('p', condition)])).toEqual([]);
  });
});

describe('QUOTED_INTEGER', () => {
  test.each([
    ["eth.tx.chain_id == '1'", 'write 1 without quotes'],
    ["eth.tx.value <= '0x64'", 'write 100 without quotes'],
    ["eth.eip_712.message['value'] == '0'", 'write 0 without quotes if the other side is an integer'],
  ])('%s', (condition, help) => {
    expect(found('QUOTED_INTEGER', [allow('p', condition)]).map((warning) => warning.help)).toEqual([help]);
  });

  test('each item of a list has its own, with its place', () => {
    const condition = "eth.tx.chain_id in ['1', '137']";
    const spans = found('QUOTED_INTEGER', [allow('p', condition)]).map(({ span }) => span);
    expect(spans.map((span) => span && condition.slice(span.start, span.end))).toEqual(["'1'", "'137'"]);
  });

  test('A58: a DENY that denies every integer is told so', () => {
    const policy = { id: 'p', effect: 'EFFECT_DENY' as const, condition: "eth.eip_712.message['value'] == '0'" };
    const [warning] = found('QUOTED_INTEGER', [policy]);
    expect(warning?.message).toContain('this DENY denies wherever the other side is an integer');
  });

  test.each(['eth.tx.chain_id == 1', "eth.tx.data[0..1] == '0'", "eth.eip_712.message['name'] == '0x12'"])(
    'not: %s',
    (condition) => {
      expect(found('QUOTED_INTEGER', [allow('p', condition)])).toEqual([]);
    },
  );
});

describe('UNIT_WITHOUT_ASSET', () => {
  test.each([
    ['effects.all(e, e.amount <= 25_000 USDC)', 'p.asset == USDC'],
    ['tx.payments.all(p, p.asset == USDC) && tx.max_fee <= 1 SOL', '`solana.tx`'],
    ['tx.max_fee <= 0.01 ETH', '`eth.tx.chain_id`'],
    ['tx.max_cost <= 3 * 1 SOL', '`solana.tx`'],
    ['eth.tx.value <= 1 SOL', '`solana.tx`'],
  ])('%s', (condition, help) => {
    const [warning] = found('UNIT_WITHOUT_ASSET', [allow('p', condition)]);
    expect(warning?.help).toContain(help);
    expect(warning?.example).toBeDefined();
  });

  test.each([
    "effects.filter(e, e.symbol == 'USDC').sum(e, e.amount) <= 25_000 USDC",
    `eth.tx.to == '${A}' && eth.tx.contract_call_args['wad'] <= 25_000 USDC`,
    'tx.payments.all(p, p.asset == USDC) && tx.payments.total(USDC) <= 5 USDC && tx.max_fee <= 0.01 ETH',
    'eth.tx.value <= 1 ETH',
    'eth.tx.chain_id == 1 && tx.max_fee <= 0.01 ETH',
    'eth.tx.value <= 1000000',
  ])('not: %s', (condition) => {
    expect(found('UNIT_WITHOUT_ASSET', [allow('p', condition)])).toEqual([]);
  });
});
