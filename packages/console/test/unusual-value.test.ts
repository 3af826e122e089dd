import type { EffectShape } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import type { Around } from '../src/review/around.ts';
import { decisivePast } from '../src/review/past.ts';
import { unusual } from '../src/review/unusual.ts';
import { activityOf, around, deliberate, read, texts, to, transfer, usdc } from './review-cases.ts';

describe('findings about value that is no ordinary transfer', () => {
  const sol = { id: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/slip44:501', kind: 'COIN', symbol: 'SOL', decimals: 9 } as const;
  const [account, program] = ['6Ckm2BrnXxsSjyG5b17kQQRjoECVrts92RKXVGT8XeqS', '5TeWSsjg2gbxCyWVniXeCmwM7UtHTCK7svzJr5xYJzHf'];
  const creation = (amount: string): EffectShape =>
    ({ kind: 'CREATE', what: 'ACCOUNT', asset: sol, amount, from: 'A', to: account, owner: program }) as EffectShape;
  const pastOf = (...payments: EffectShape[]) => ({ proven: { payments, isAltered: false } });

  test('D1100: an account that gets more than rent is a payment to a stranger', () => {
    const large = { ...creation('1000000000000000'), units: '1000000' };
    expect(deliberate(read([large], []))).toEqual([
      `Puts 1,000,000 SOL into the new account ${account}, which ${program} controls`,
      `First payment to ${account}`,
    ]);
    expect(deliberate(read([creation('4872001')], []), pastOf({ ...creation('9999999'), kind: 'TRANSFER' }))).toHaveLength(1);
    const open = activityOf('other', [creation('4872001')], { status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' });
    expect(texts(read([creation('4872001')], []), { open: [open] })).toContainEqual(expect.stringContaining('also requested'));
    const contract: EffectShape = {
      kind: 'CREATE',
      what: 'CONTRACT',
      asset: { ...usdc, kind: 'COIN' },
      amount: '1',
      from: '0xaa',
    };
    expect(deliberate(read([contract], []))).toContainEqual(expect.stringContaining('into a new contract'));
  });

  test('D1100: the rent of a token account, and an account without an amount, have no finding', () => {
    expect(unusual(read([creation('2039280'), creation('4872000')], []), around())).toEqual([]);
    const free = { kind: 'CREATE', what: 'ACCOUNT', from: 'T', to: 'Tb' } as EffectShape;
    expect(unusual(read([free], []), around())).toEqual([]);
  });

  test('D1100: earlier creations with more than rent are compared', () => {
    const small = activityOf('small', [creation('2039280')]);
    const large = activityOf('large', [creation('5000000')]);
    expect(decisivePast([creation('6000000')], [small, large])).toEqual([large]);
  });

  test('D1100: bytes that were not understood and new rights for a look-alike are reported', () => {
    expect(deliberate(read([{ kind: 'UNKNOWN', bytes: 4 } as EffectShape]))).toHaveLength(1);
    const fake = `${to.slice(0, 8)}${'0'.repeat(28)}${to.slice(-6)}`;
    const contacts = [{ label: 'Acme', address: to }] as unknown as Around['knowledge']['contacts'];
    const knowledge = { contacts, tokens: [], interfaces: [] };
    const found = deliberate(read([{ kind: 'AUTHORITY', to: fake } as EffectShape]), { knowledge });
    expect(found).toContainEqual(expect.stringContaining('resembles “Acme”'));
    // The wallet of a token account.
    const owned = { ...transfer, to: '0xcc', owner: fake };
    expect(deliberate(read([owned]), { knowledge })).toContainEqual(expect.stringContaining('resembles “Acme”'));
  });

  test('a token account counts as the contact that it belongs to', () => {
    const payment = { ...transfer, to: '0xcc', owner: to };
    expect(unusual(read([payment]), around(pastOf(payment)))).toEqual([]);
  });

  test('staking and voting are reported, a memo and data are not', () => {
    const call = (what: string) => texts(read([{ kind: 'CALL', what } as EffectShape], []));
    expect(call('stake 5 TRX for ENERGY')).toEqual(['Does more than pay: stake 5 TRX for ENERGY']);
    expect([...call('memo "stake"'), ...call('write 4 bytes of data')]).toEqual([]);
  });

  test('D1102: an amount that the bytes do not contain is larger than any other', () => {
    const { amount: _, units: __, ...unknown } = transfer;
    const stranger = { ...transfer, to: '0xcc', amount: '26000000000' };
    expect(deliberate(read([unknown]), pastOf(stranger))).toEqual([`First payment to ${to}`]);
    const text = 'Pays an amount that the transaction does not state';
    expect(deliberate(read([unknown]), pastOf({ ...transfer, amount: '26000000000' }))).toEqual([text]);
    expect(deliberate(read([unknown]), pastOf(unknown))).toEqual([]);
    expect(texts(read([unknown]), pastOf(unknown))).toEqual([text]);
    // It makes no later payment usual.
    expect(deliberate(read([transfer]), pastOf(unknown))).toHaveLength(1);
    const past = [transfer, unknown].map((each, index) => activityOf(`${index}`, [each]));
    expect(decisivePast([unknown], past)).toEqual([past[1], past[0]]);
  });

  test('D1102: a small payment does not prepare the largest one', () => {
    const largest = { ...transfer, to: '0xcc', amount: '1000000000' };
    const before = (amount: string) => pastOf({ ...transfer, amount }, largest);
    expect(deliberate(read([transfer]), before('1000000'))).toEqual([expect.stringMatching(/^25,000 USDC is more than any/)]);
    expect(deliberate(read([transfer]), before('12499999999'))).toHaveLength(1);
    expect(deliberate(read([transfer]), before('12500000000'))).toEqual([]);
    expect(texts(read([transfer]), before('12500000000'))).toHaveLength(1);
    // In parts of one transaction.
    const parts = ['12000000000', '13000000000'].map((amount) => ({ ...transfer, amount }));
    expect(deliberate(read(parts), before('12000000000'))).toEqual([expect.stringMatching(/^25,000 USDC is more than any/)]);
  });

  test('D1102: nor does a payment in another asset', () => {
    const other = { ...transfer, asset: { ...usdc, id: 'eip155:1/erc20:0xdac1' } };
    expect(deliberate(read([transfer]), pastOf(other))).toEqual(['No recent payment was in this asset']);
    const past = [other, transfer, { ...transfer, amount: '1' }].map((each, index) => activityOf(`${index}`, [each]));
    expect(decisivePast([transfer], past)).toEqual([past[1]]);
  });

  const eth = { id: 'eip155:1/slip44:60', kind: 'COIN', symbol: 'ETH', decimals: 18 } as const;
  const pays = (amount: string): EffectShape => ({ ...transfer, asset: eth, amount, units: '' });
  const fee = (amount: string, asset: EffectShape['asset'] = eth): EffectShape => ({ kind: 'FEE', asset, amount, from: '0xaa' });
  const paid = pastOf(pays(`${10n ** 20n}`));

  test.each([
    [eth, 100_000_000_000_000_000n],
    [sol, 10_005_000n],
    [{ id: 'tron:0x2b6653dc/slip44:195', kind: 'COIN', symbol: 'TRX', decimals: 6 } as const, 204_000_000n],
  ])('D1101: a network fee above the highest one of the console needs a second step: %o', (asset, most) => {
    const large = { ...transfer, asset, amount: `${10n ** 20n}` };
    const found = (amount: bigint) => deliberate(read([large, fee(`${amount}`, asset)]), pastOf(large));
    expect(found(most)).toEqual([]);
    expect(found(most + 1n)).toEqual([expect.stringMatching(/^The network fee, at most .* is more than/)]);
  });

  test('D1101: a fee that is more than the payment is reported unless it is tiny', () => {
    const found = (amount: string, cost: string) => texts(read([pays(amount), fee(cost)]), paid);
    expect(found('1', '10000000000000001')).toEqual([expect.stringContaining('is more than what is paid')]);
    expect(found('1', '10000000000000000')).toEqual([]);
    expect(found('10000000000000001', '10000000000000001')).toEqual([]);
    // A token payment moves no coin.
    expect(texts(read([transfer, fee('90000000000000000')]), pastOf(transfer))).toEqual([]);
  });

  test('D1101: a fee that the transaction does not state needs a second step', () => {
    const { amount: _, ...unknown } = fee('1');
    expect(deliberate(read([pays('1'), unknown]), paid)).toEqual(['The transaction does not state its network fee']);
  });
});
