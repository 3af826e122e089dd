import { type Effect, ethereumTransaction } from '@countersign/chains';
import { activities } from '@countersign/contract';
import { policyOptions, signedNamespaces, signingContext, toDecisionRequest } from '@countersign/judgement';
import { checkPolicy, compilePolicies, type DecisionRequest, decide, type HostValue } from '@countersign/policy';
import { hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import { judgement, organization, vote } from './support/world.ts';

const me = '0xd1220a0cf47c7b9be7a2e6ba89f429762e7b9adb';
const vendor = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const asset = (id: string, symbol: string, decimals: number, kind: 'COIN' | 'TOKEN' = 'TOKEN') => ({
  id,
  kind,
  symbol,
  decimals,
});
const ether = asset('eip155:1/slip44:60', 'ETH', 18, 'COIN');
const usdc = asset('eip155:1/erc20:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', 'USDC', 6);
const fake = asset(`eip155:1/erc20:0x${'66'.repeat(20)}`, 'USDC', 0);
const onBnb = asset('eip155:56/erc20:0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d', 'USDC', 18);
const solana = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const sol = asset(`${solana}/slip44:501`, 'SOL', 9, 'COIN');

const pay = (what: ReturnType<typeof asset>, amount: bigint, to = vendor): Effect => ({
  kind: 'TRANSFER',
  asset: what,
  amount,
  from: me,
  to,
});
const fee = (amount = 10n ** 15n, coin = ether): Effect => ({ kind: 'FEE', asset: coin, amount, from: me });

const SHORT_FORM = `tx.is_payment && tx.payments.all(p, p.asset == USDC && p.to in contacts.tagged('vendors'))
  && tx.payments.total(USDC) <= 25_000 USDC && tx.max_fee <= 0.02 ETH`;

const contacts = { all: [vendor], tagged: new Map([['vendors', [vendor]]]) };

function request(namespaces: Record<string, HostValue>, kind = 'SIGN_TRANSACTION'): DecisionRequest {
  return {
    approvers: [{ id: 'a', tags: [], alias: 'a' }],
    credentials: [],
    activity: { type: `ACTIVITY_TYPE_${kind}_V2`, kind, resource: 'PRIVATE_KEY', action: 'SIGN' },
    namespaces: { contacts, ...namespaces },
    now: 0,
    rootQuorum: { threshold: 1, userIds: [] },
    organizationUsers: new Map([['a', { id: 'a', tags: [], alias: 'a' }]]),
  };
}

const signed = (effects: readonly Effect[], fields: object = { chain_id: 1n }, namespace = 'eth.tx') =>
  request(signedNamespaces({ namespace, policy: { from: me, ...fields }, effects, fullyParsed: true, signer: me }));

function outcome(condition: string, asked: DecisionRequest, effect: 'EFFECT_ALLOW' | 'EFFECT_DENY' = 'EFFECT_ALLOW'): string {
  const source = { id: 'p', effect, condition };
  expect(checkPolicy(source, policyOptions)).toEqual([]);
  const everything = { id: 'all', effect: 'EFFECT_ALLOW' } as const;
  return decide(compilePolicies(effect === 'EFFECT_DENY' ? [source, everything] : [source], policyOptions), asked).outcome;
}

describe('the payment view', () => {
  test('the short form allows a payment to a vendor, and no more of it', () => {
    expect(outcome(SHORT_FORM, signed([pay(usdc, 25_000_000_000n), fee()]))).toBe('ALLOW');
    expect(outcome(SHORT_FORM, signed([pay(usdc, 25_000_000_001n), fee()]))).toBe('DENY');
    expect(outcome(SHORT_FORM, signed([pay(usdc, 13_000_000_000n), pay(usdc, 13_000_000_000n), fee()]))).toBe('DENY');
    expect(outcome(SHORT_FORM, signed([pay(usdc, 1n, me), fee()]))).toBe('DENY');
    expect(outcome(SHORT_FORM, signed([pay(usdc, 1n), fee(10n ** 18n)]))).toBe('DENY');
  });

  test('D401: a rule for all payments is not true without a payment', () => {
    const rule = "tx.payments.all(p, p.to in contacts.tagged('vendors'))";
    const unlimited: Effect = { kind: 'ALLOWANCE', asset: usdc, from: me, to: vendor, unlimited: true };
    expect(outcome(rule, signed([pay(ether, 1n), fee()]))).toBe('ALLOW');
    for (const effects of [[unlimited, fee()], [fee()], [], [pay(usdc, 1n), unlimited, fee()]])
      expect(outcome(rule, signed(effects))).toBe('DENY');
  });

  test('D401: messages and raw payloads are no payments, and no DENY steps aside for them', () => {
    const keep = `!(tx.is_payment && tx.payments.all(p, p.to in contacts.tagged('vendors')))`;
    expect(outcome(keep, signed([pay(usdc, 1n), fee()]), 'EFFECT_DENY')).toBe('ALLOW');
    expect(outcome(keep, signed([fee()]), 'EFFECT_DENY')).toBe('DENY');
    for (const definition of [activities.signRawPayload, activities.signRawPayloads])
      for (const { type } of definition.versions) {
        const raw = toDecisionRequest(
          judgement(organization([{ id: 'a' }]), [vote('a')], { definition: definition as never, type }),
        );
        expect(outcome(keep, raw, 'EFFECT_DENY'), type).toBe('DENY');
        expect(outcome('tx.is_payment', raw), type).not.toBe('ALLOW');
        expect(outcome('!tx.is_payment', raw), type).toBe('ALLOW');
      }
    const message = signedNamespaces({
      namespace: 'eth.eip_712',
      policy: {},
      effects: [pay(usdc, 1n)],
      fullyParsed: true,
      signer: me,
    });
    expect(outcome('tx.is_payment', request(message, 'SIGN_RAW_PAYLOAD'))).toBe('DENY');
    expect(outcome(keep, request(message, 'SIGN_RAW_PAYLOAD'), 'EFFECT_DENY')).toBe('DENY');
  });

  test('every version of the type that signs transactions shows the same payments', () => {
    const namespaces = {
      effects: [pay(usdc, 1n), fee()],
      namespace: 'eth.tx',
      policy: { from: me },
      fullyParsed: true,
      signer: me,
    };
    const parsed = { ...namespaces, description: '', unparsed: [] };
    for (const { type } of activities.signTransaction.versions) {
      const change = { definition: activities.signTransaction as never, type, subject: { parsed } };
      const seen = toDecisionRequest(judgement(organization([{ id: 'a' }]), [vote('a')], change)).namespaces['tx.is_payment'];
      expect(typeof seen === 'function' && seen(), type).toBe(true);
    }
  });
});

describe('named assets', () => {
  test('D402: a token that is called USDC is not USDC', () => {
    expect(outcome(SHORT_FORM, signed([pay(fake, 1n), fee()]))).toBe('DENY');
    const denied = 'tx.is_payment && tx.payments.any(p, p.asset != USDC)';
    expect(outcome(denied, signed([pay(fake, 1n), fee()]), 'EFFECT_DENY')).toBe('DENY');
    expect(outcome(denied, signed([pay(usdc, 1n), fee()]), 'EFFECT_DENY')).toBe('ALLOW');
  });

  test('D402: a token that the organization lists under that symbol is not USDC', () => {
    const where = organization([{ id: 'a' }]);
    const token = { asset: fake.id, symbol: 'USDC', decimals: 6, createdAtMs: 0, updatedAtMs: 0 };
    const records = { ...where.records, token: new Map([['t', token]]) };
    const key = '024d4a846a905c88a0e65b8b835b135cec0bb94f31052792cd09c3f7c40db65e8c';
    const signer = { curve: 'CURVE_SECP256K1', publicKey: hexToBytes(key) } as const;
    const data = `a9059cbb${vendor.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`;
    const unsigned = `02f8640180010182ffff94${'66'.repeat(20)}80b844${data}c0`;
    const parsed = ethereumTransaction.parse(unsigned, signingContext({ ...where, records } as never, signer));
    const asked = request(signedNamespaces(parsed));
    expect(parsed.effects[0]).not.toHaveProperty('asset.symbol');
    expect(outcome('tx.is_payment', asked)).toBe('DENY');
    expect(outcome(SHORT_FORM, asked)).toBe('DENY');
    // By the rules of then, the entry counted as a token of that name, and the payment view already told it from USDC.
    const then = ethereumTransaction.parse(
      unsigned,
      signingContext({ ...where, records } as never, signer, undefined, { rules: 2 }),
    );
    expect(then.effects[0]).toMatchObject({ asset: { symbol: 'USDC' } });
    expect(outcome('tx.is_payment', request(signedNamespaces(then)))).toBe('ALLOW');
    expect(outcome(SHORT_FORM, request(signedNamespaces(then)))).toBe('DENY');
  });

  test('D455: an entry of the organization for USDC changes neither its decimals nor its symbol', () => {
    const where = organization([{ id: 'a' }]);
    const token = { asset: usdc.id, symbol: 'XUSD', decimals: 18, createdAtMs: 0, updatedAtMs: 0 };
    const records = { ...where.records, token: new Map([['t', token]]) };
    const key = '024d4a846a905c88a0e65b8b835b135cec0bb94f31052792cd09c3f7c40db65e8c';
    const signer = { curve: 'CURVE_SECP256K1', publicKey: hexToBytes(key) } as const;
    const data = `a9059cbb${vendor.slice(2).padStart(64, '0')}${(10n ** 12n).toString(16).padStart(64, '0')}`;
    const unsigned = `02f8640180010182ffff94${usdc.id.slice(-40)}80b844${data}c0`;
    const parse = (rules: number | undefined) =>
      ethereumTransaction.parse(unsigned, signingContext({ ...where, records } as never, signer, undefined, { rules }))
        .description;
    expect(parse(3)).toContain('send 1,000,000 USDC to');
    // Decisions of the past are made again as they were.
    expect(parse(2)).toContain('send 0.000001 XUSD to');
    expect(parse(undefined)).toContain('send 0.000001 XUSD to');
  });

  test('D403: without a chain a name means one chain, so a fee beside it has one unit', () => {
    const there = asset(`${solana}/token:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v`, 'USDC', 6);
    // 0.02 ether in wei are twenty million SOL in lamports.
    const burned = [pay(there, 1n), fee(10n ** 16n, sol)];
    const namespaces = { namespace: 'solana.tx', policy: {}, fullyParsed: true, signer: me };
    expect(outcome('tx.is_payment', request(signedNamespaces({ ...namespaces, effects: burned })))).toBe('ALLOW');
    expect(outcome(SHORT_FORM, request(signedNamespaces({ ...namespaces, effects: burned })))).toBe('DENY');
    expect(outcome(SHORT_FORM, signed([pay(onBnb, 1n), fee(1n)], { chain_id: 56n }))).toBe('DENY');
  });

  test('D403: the stated chain decides which contract and which decimals are meant', () => {
    const there = `eth.tx.chain_id == 56 && ${SHORT_FORM}`;
    const coin = asset('eip155:56/slip44:60', 'BNB', 18, 'COIN');
    const paid = (amount: bigint) => signed([pay(onBnb, amount), fee(1n, coin)], { chain_id: 56n });
    expect(outcome(there, paid(25_000n * 10n ** 18n))).toBe('ALLOW');
    expect(outcome(there, paid(25_000n * 10n ** 18n + 1n))).toBe('DENY');
    expect(outcome(there, signed([pay(usdc, 1n), fee()]))).toBe('DENY');
  });

  test.each([
    'tx.payments.all(p, p.asset == USDT0)',
    'eth.tx.chain_id == 100 && tx.payments.all(p, p.asset == USDC)',
    'eth.tx.chain_id == 56 && tx.payments.all(p, p.asset == ETH)',
    'tx.payments.all(p, p.asset == BNB)',
    'eth.tx.chain_id in [1, 56] && tx.payments.total(USDC) <= 5',
    'effects.all(e, e.symbol == USDC)',
  ])('D403: a name that does not have one meaning is rejected: %s', (condition) => {
    expect(checkPolicy({ condition }, policyOptions)).not.toEqual([]);
  });

  test('the names of coins are coins', () => {
    expect(outcome('tx.payments.all(p, p.asset == ETH && p.amount <= 1 ETH)', signed([pay(ether, 10n ** 18n), fee()]))).toBe(
      'ALLOW',
    );
    expect(outcome('tx.payments.all(p, p.asset == SOL)', signed([pay(sol, 1n), fee()]))).toBe('ALLOW');
    expect(outcome('eth.tx.chain_id == 10 && tx.payments.all(p, p.asset == ETH)', signed([pay(ether, 1n), fee()]))).toBe('DENY');
  });
});
