import { describe, expect, test } from 'vitest';
import { lintPolicies, type PolicySource } from '../src/index.ts';
import type { WarningCode } from '../src/lint/warning.ts';
import { host } from './support/host.ts';

const people = "approvers.any(user, user.id == 'u-bob')";
const allow = (condition: string): PolicySource => ({ id: 'p', effect: 'EFFECT_ALLOW', condition, consensus: people });
const deny = (condition: string): PolicySource => ({ id: 'p', effect: 'EFFECT_DENY', condition });

/** The warnings about payments and effects, without those that other tests cover. */
function codes(...policies: readonly PolicySource[]): readonly WarningCode[] {
  const codesOfOthers: readonly WarningCode[] = ['TRANSACTION_NOT_LIMITED', 'UNIT_WITHOUT_ASSET', 'APPLIES_TO'];
  return lintPolicies(policies, host)
    .map(({ code }) => code)
    .filter((code) => !codesOfOthers.includes(code));
}

const TRANSFERS = "effects.filter(e, e.kind == 'TRANSFER')";
const BOUND = "effects.all(e, e.kind in ['TRANSFER', 'FEE'])";
const TO_VENDORS = "e.to in contacts.tagged('vendors')";

describe('D407: warnings about policies that cover more than they say', () => {
  test.each<[string, readonly WarningCode[]]>([
    [`tx.understood && ${TRANSFERS}.all(e, ${TO_VENDORS})`, ['EFFECTS_NOT_LIMITED']],
    [`tx.understood && ${TRANSFERS}.sum(e, e.amount) <= 5 USDC`, ['EFFECTS_NOT_LIMITED']],
    [`${TRANSFERS}.all(e, ${TO_VENDORS}) && effects.none(e, e.kind == 'UNKNOWN')`, ['EFFECTS_NOT_LIMITED']],
    [`tx.understood && ${BOUND} && ${TRANSFERS}.all(e, ${TO_VENDORS})`, ['USE_PAYMENTS']],
    [`tx.understood && effects.all(e, e.kind == 'FEE' || (e.kind == 'TRANSFER' && ${TO_VENDORS}))`, ['USE_PAYMENTS']],
    ['tx.understood && eth.tx.chain_id == 1 && tx.max_cost <= 0.05 ETH', ['TOKENS_NOT_LIMITED']],
    [`tx.understood && ${BOUND} && tx.max_cost <= 0.05 ETH`, ['TOKENS_NOT_LIMITED', 'USE_PAYMENTS']],
    [
      "eth.tx.function_name == 'execute' && tx.max_cost <= 3 ETH && effects.none(e, e.kind == 'ALLOWANCE')",
      ['TOKENS_NOT_LIMITED'],
    ],
    ['tx.understood && solana.tx.transfers.count() == 1', ['TOKENS_NOT_LIMITED']],
    ['tx.is_payment && tx.max_cost <= 3 ETH', ['TOKENS_NOT_LIMITED']],
    ['tx.is_payment && tx.payments.total(USDC) <= 5 USDC', ['TOTAL_WITHOUT_ASSET']],
    ['tx.payments.all(p, p.asset in [USDC, DAI]) && tx.payments.total(USDC) <= 5 USDC', ['TOTAL_WITHOUT_ASSET']],
    ['tx.payments.any(p, p.asset == USDC) && tx.payments.total(USDC) <= 5 USDC', ['TOTAL_WITHOUT_ASSET']],
    [`${BOUND} && ${TRANSFERS}.all(e, e.symbol == 'USDC')`, ['USE_PAYMENTS', 'SYMBOL_COMPARED']],
  ])('%s', (condition, expected) => {
    expect(codes(allow(condition))).toEqual(expected);
    for (const { example, help } of lintPolicies([allow(condition)], host))
      expect({ example, help }).toMatchObject({ example: {} });
  });

  test.each([
    "tx.is_payment && tx.payments.all(p, p.asset == USDC && p.to in contacts.tagged('vendors')) && tx.payments.total(USDC) <= 5 USDC",
    'tx.payments.all(p, p.asset in [USDC, DAI]) && tx.payments.total(USDC) <= 5 USDC && tx.payments.total(DAI) <= 5 DAI',
    'tx.is_payment && tx.payments.all(p, p.asset == ETH) && tx.max_cost <= 3 ETH',
    "tx.understood && effects.all(e, e.kind in ['CALL', 'FEE']) && tx.max_cost <= 3 ETH",
    `effects.all(e, e.kind in ['TRANSFER', 'CALL', 'FEE']) && ${TRANSFERS}.all(e, e.asset == ETH) && tx.max_cost <= 3 ETH`,
    "activity.kind == 'CREATE_WALLET'",
  ])('not: %s', (condition) => {
    expect(codes(allow(condition))).toEqual([]);
  });

  test('the suggestion names the asset', () => {
    const [warning] = lintPolicies([deny("effects.any(each, each.symbol == 'USDC')")], host).filter(
      ({ code }) => code === 'SYMBOL_COMPARED',
    );
    expect(warning?.help).toBe('compare the asset: `each.asset == USDC`');
  });
});

describe('D405: a DENY on payments that another request avoids', () => {
  test.each<[string, number]>([
    ['tx.is_payment', 1],
    ["wallet.id == 'w' && tx.is_payment", 1],
    ["wallet.id == 'w' && !tx.is_payment", 0],
    ["!(tx.is_payment && tx.payments.all(p, p.to in contacts.tagged('vendors')))", 0],
    ["tx.is_payment && tx.payments.any(p, p.to in contacts.tagged('blocked'))", 0],
    ['tx.payments.any(p, p.asset == USDC)', 1],
    ['effects.any(e, e.asset == USDC)', 1],
    ['eth.tx.chain_id == 1 && effects.any(e, e.asset == USDC)', 0],
    ["effects.any(e, e.asset == 'eip155:1/erc20:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48')", 0],
    ['tx.payments.any(p, p.asset != USDC)', 0],
  ])('%s', (condition, count) => {
    expect(codes(deny(condition)).filter((code) => code === 'DENY_SIDESTEPPED')).toHaveLength(count);
  });
});

describe('D408: a spending limit alone allows every kind of activity', () => {
  const controls = [
    { name: 'few', doc: '', kinds: ['CREATE_POLICY', 'EXPORT_WALLET', 'SIGN_TRANSACTION'] },
    { name: 'daily_usdc', doc: '', kinds: ['SIGN_TRANSACTION', 'SIGN_RAW_PAYLOAD'] },
  ];
  test.each<[string, number]>([
    ['controls.few', 1],
    ['!controls.few', 1],
    ["controls.few && activity.kind == 'CREATE_WALLET'", 0],
    ['controls.daily_usdc', 0],
  ])('%s', (condition, count) => {
    const warnings = lintPolicies([allow(condition)], { ...host, controls }).filter(({ code }) => code === 'ALLOWS_EVERYTHING');
    expect(warnings).toHaveLength(count);
  });
});

test('raw payloads are signed under a policy that excludes payments, and not under one that demands them', () => {
  const rule = deny("tx.is_payment && tx.payments.any(p, p.to in contacts.tagged('blocked'))");
  const door = (condition: string): PolicySource => ({ ...allow(condition), id: 'door' });
  const related = (condition: string) =>
    lintPolicies([rule, door(condition)], host).filter(
      ({ code, related = [] }) => code === 'RAW_SIGNING_SIDESTEP' && related.length > 0,
    );
  expect(related('!tx.is_payment')).not.toEqual([]);
  expect(related('tx.is_payment && tx.payments.all(p, p.asset == USDC)')).toEqual([]);
});
