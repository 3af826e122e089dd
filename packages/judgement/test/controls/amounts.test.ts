import type { Effect } from '@countersign/chains';
import { activities } from '@countersign/contract';
import { countOf, countsOf, formatDecimal, parseDecimal, type VelocityControlRecord } from '@countersign/judgement';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ANN, BOB, control, ETH, holding, paying, SELF, signing, transfer, USDC } from '../support/controls-world.ts';

const counted = (of: VelocityControlRecord, effects: readonly Effect[], fullyParsed = true) =>
  countOf(signing(holding({ c: of }), paying(effects, fullyParsed)), 'c');

/** Amounts by bucket. */
const amounts = (of: VelocityControlRecord, effects: readonly Effect[]) =>
  Object.fromEntries((counted(of, effects)?.counts ?? []).map(({ bucket, amount }) => [bucket, formatDecimal(amount)]));

const unread = (of: VelocityControlRecord, effects: readonly Effect[]) => counted(of, effects)?.unread;

const grouped = (by: string, more: Partial<VelocityControlRecord['aggregation']> = {}) =>
  control({}, { groupBy: { [by]: {} }, ...more });

describe('what a request adds to a control', () => {
  test('transfers of its assets add up, exactly', () => {
    expect(amounts(control(), [transfer(1n), transfer(104_000_000_000n, BOB), transfer(5n, ANN, ETH)])).toEqual({
      'c/0/organization/': '104000.000001',
    });
  });

  test('COUNT counts transfers', () => {
    const count = control({}, { method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT', threshold: '3' });
    expect(amounts(count, [transfer(1n), transfer(2n), transfer(1n, ANN, ETH)])).toEqual({ 'c/0/organization/': '2' });
  });

  test('several assets count at their rates', () => {
    const definition = [
      { caip19: USDC, decimals: '6' },
      { caip19: ETH, decimals: '18', rate: '3123.45' },
    ];
    const both = control({ dataSource: { chainAssetTransfer: { definition } } });
    expect(amounts(both, [transfer(1_500_000n), transfer(2n * 10n ** 18n, ANN, ETH)])).toEqual({
      'c/0/organization/': '6248.4',
    });
  });

  test('each grouping has its bucket', () => {
    const moves = [transfer(1_000_000n), transfer(2_000_000n, BOB), transfer(4_000_000n)];
    expect(amounts(grouped('user'), moves)).toEqual({ 'c/0/user/a': '7' });
    expect(amounts(grouped('wallet'), moves)).toEqual({ 'c/0/wallet/w': '7' });
    expect(amounts(grouped('destination'), moves)).toEqual({ [`c/0/destination/${ANN}`]: '5', [`c/0/destination/${BOB}`]: '2' });
  });

  test('a contact counts for each of its tags, and a stranger for none', () => {
    const contact = { label: 'Ann', address: ANN, contactTags: ['vendors', 'eu'], notes: '', createdAtMs: 0, updatedAtMs: 0 };
    const where = holding({ c: grouped('contactTag') }, {}, { contacts: [contact] });
    const counts = countOf(signing(where, paying([transfer(1_000_000n), transfer(2_000_000n, BOB)])), 'c')?.counts;
    expect(counts?.map(({ bucket, amount }) => [bucket, formatDecimal(amount)])).toEqual([
      ['c/0/contactTag/eu', '1'],
      ['c/0/contactTag/vendors', '1'],
      ['c/0/contactTag/', '2'],
    ]);
  });

  test('a reset begins other buckets', () => {
    expect(amounts(control({ epoch: 3 }), [transfer(1_000_000n)])).toEqual({ 'c/3/organization/': '1' });
  });

  test('what returns to the signer does not count', () => {
    expect(amounts(control(), [transfer(1_000_000n, SELF)])).toEqual({ 'c/0/organization/': '0' });
  });

  test('activities of the filter count one each, in every bucket of their own', () => {
    const filter = { activity: [{ activityType: 'ACTIVITY_TYPE_CREATE_WALLET' }] };
    const executions = control(
      { dataSource: { activityExecution: { filter } } },
      { method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT', groupBy: { user: {} } },
    );
    const where = holding({ c: executions });
    const create = signing(where, {}, { definition: activities.createWallet, type: 'ACTIVITY_TYPE_CREATE_WALLET' });
    expect(countsOf(create).flatMap(({ counts }) => counts)).toMatchObject([{ bucket: 'c/0/user/a', amount: 10n ** 18n }]);
    expect(countsOf(signing(where, paying([transfer(1n)])))).toEqual([]);
  });

  test('the controls of both organizations count where the parent acts in its sub-organization', () => {
    const where = holding({ parents: control() });
    const below = { ...holding({ childs: control() }), id: 'sub' };
    const request = signing(where, paying([transfer(1_000_000n)]), { target: below });
    expect(countsOf(request).map(({ organizationId, controlId }) => [organizationId, controlId])).toEqual([
      ['o', 'parents'],
      ['sub', 'childs'],
    ]);
  });

  test('a request without anything to count costs no bucket', () => {
    expect(countsOf(signing(holding({}), paying([transfer(1n)])))).toEqual([]);
    expect(countsOf(signing(holding({ c: control() }), paying([transfer(1n, ANN, ETH)])))).toEqual([]);
  });
});

describe('ways around a limit', () => {
  const asset = { id: USDC, kind: 'TOKEN' as const };

  test('D140: an allowance counts like a transfer of all that it allows, and one without a limit has no value', () => {
    const allow = (amount: bigint, unlimited = false): Effect => ({ kind: 'ALLOWANCE', asset, amount, to: BOB, unlimited });
    expect(amounts(grouped('destination'), [allow(7_000_000n)])).toEqual({ [`c/0/destination/${BOB}`]: '7' });
    expect(unread(control(), [allow(2n ** 256n - 1n, true)])).toContain('any amount');
    expect(amounts(control(), [allow(0n)])).toEqual({ 'c/0/organization/': '0' });
    expect(unread(control(), [allow(0n)])).toBeUndefined();
  });

  test('D140: the value of a new contract counts', () => {
    const eth = control({ dataSource: { chainAssetTransfer: { definition: [{ caip19: ETH, decimals: '18' }] } } });
    const create: Effect = { kind: 'CREATE', what: 'CONTRACT', asset: { id: ETH, kind: 'COIN' }, amount: 10n ** 18n };
    expect(amounts(eth, [create])).toEqual({ 'c/0/organization/': '1' });
  });

  test('D172: a new account receives what it is given, whichever owner the sender names for it', () => {
    const definition = [{ caip19: ETH, decimals: '18' }];
    const dataSource = { chainAssetTransfer: { definition } };
    const make = (owner: string): Effect => {
      return { kind: 'CREATE', what: 'ACCOUNT', asset: { id: ETH, kind: 'COIN' }, amount: 10n ** 18n, to: BOB, owner };
    };
    // The signer's own key as the owner, and the program of plain wallets.
    for (const owner of [SELF, '11111111111111111111111111111111']) {
      expect(amounts(control({ dataSource }), [make(owner)])).toEqual({ 'c/0/organization/': '1' });
      const byReceiver = control({ dataSource }, { groupBy: { destination: {} } });
      expect(amounts(byReceiver, [make(owner)])).toEqual({ [`c/0/destination/${BOB}`]: '1' });
    }
    const contact = { label: 'Ann', address: ANN, contactTags: ['vendors'], notes: '', createdAtMs: 0, updatedAtMs: 0 };
    const where = holding({ c: control({ dataSource }, { groupBy: { contactTag: {} } }) }, {}, { contacts: [contact] });
    expect(countOf(signing(where, paying([make(ANN)])), 'c')?.counts).toMatchObject([{ bucket: 'c/0/contactTag/' }]);
  });

  test.each<[string, Effect]>([
    ['bytes that nobody understood', { kind: 'UNKNOWN', what: 'data', bytes: 4 }],
    ['a call whose effects cannot be read', { kind: 'CALL', what: 'swap', to: BOB }],
    ['a change of who may act', { kind: 'AUTHORITY', what: 'owner', to: BOB }],
    ['a signature that is good on other chains', { kind: 'REPLAYABLE', what: 'no chain id' }],
    ['a transfer of an amount that the bytes do not tell', transfer(undefined)],
    ['an amount beyond counting', transfer(10n ** 63n)],
  ])('D140: %s has no value, and what was read still counts', (_, effect) => {
    const result = counted(control(), [transfer(3_000_000n), effect]);
    expect(result?.unread).toBeTypeOf('string');
    expect(result?.counts.map(({ amount }) => formatDecimal(amount))).toEqual(['3']);
  });

  test('D140: a transaction that was not fully understood, and raw bytes, have no value', () => {
    expect(counted(control(), [transfer(1n)], false)?.unread).toContain('not everything');
    expect(counted(control(), [])?.unread).toContain('not everything');
    const raw = signing(holding({ c: control() }), {}, { definition: activities.signRawPayload });
    expect(countOf({ ...raw, type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2' }, 'c')?.unread).toContain('bytes');
  });

  test('data without a receiver, and a signature that lasts, hide nothing', () => {
    const harmless: Effect[] = [
      { kind: 'CALL', what: 'write 5 bytes of data' },
      { kind: 'REPLAYABLE', what: 'until the nonce is used', lasting: true },
      { kind: 'FEE', asset: { id: ETH, kind: 'COIN' }, amount: 1n, from: SELF },
    ];
    expect(unread(control(), [transfer(1n), ...harmless])).toBeUndefined();
  });

  test('D142: a token whose contract the bytes do not tell may be any token of its chain, and none of another', () => {
    const solana = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:';
    const definition = [{ caip19: `${solana}EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v`, decimals: '6' }];
    const usdc = control({ dataSource: { chainAssetTransfer: { definition } } });
    expect(unread(usdc, [transfer(1n, ANN, `${solana}unknown`)])).toContain('any amount');
    expect(unread(control(), [transfer(1n, ANN, `${solana}unknown`)])).toBeUndefined();
  });

  test('D142: with a grouping by receiver, a transfer that does not name its receiver has no value', () => {
    const nowhere: Effect = { kind: 'TRANSFER', asset, amount: 1n, from: SELF };
    expect(unread(grouped('destination'), [nowhere])).toContain('who receives');
    expect(unread(control(), [nowhere])).toBeUndefined();
  });

  test('D141: every version of an activity counts, whichever the filter names', () => {
    const filter = { activity: [{ activityType: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2' }] };
    const source = { chainAssetTransfer: { definition: [{ caip19: USDC, decimals: '6' }], filter } };
    const request = signing(holding({ c: control({ dataSource: source }) }), paying([transfer(1_000_000n)]));
    for (const type of ['ACTIVITY_TYPE_SIGN_TRANSACTION', 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2'])
      expect(countsOf({ ...request, type }), type).toHaveLength(1);
  });
});

describe('amounts', () => {
  const decimal = fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 20n - 1n }), fc.stringMatching(/^[0-9]{0,17}[1-9]$/))
    .map(([whole, fraction]) => `${whole}.${fraction}`);

  test('a decimal text is the same number after parsing and formatting', () => {
    fc.assert(
      fc.property(decimal, (text) => {
        expect(formatDecimal(parseDecimal(text))).toBe(text);
      }),
    );
  });

  test('a sum is that of a naive model: never below it, and above by less than one unit in the last place for each transfer', () => {
    const amount = fc.bigInt({ min: 0n, max: 10n ** 30n });
    fc.assert(
      fc.property(
        fc.array(amount, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 0, max: 30 }),
        fc.bigInt({ min: 1n, max: 10n ** 22n }),
        (list, decimals, rate) => {
          const definition = [{ caip19: USDC, decimals: String(decimals), rate: formatDecimal(rate) }];
          const of = control({ dataSource: { chainAssetTransfer: { definition } } });
          const [count] =
            counted(
              of,
              list.map((each) => transfer(each)),
            )?.counts ?? [];
          // Compare multiples of 10^decimals to avoid a division.
          const exact = list.reduce((sum, each) => sum + each * rate, 0n);
          const got = (count?.amount ?? -1n) * 10n ** BigInt(decimals);
          expect(got).toBeGreaterThanOrEqual(exact);
          expect(got - exact).toBeLessThan(BigInt(list.length) * 10n ** BigInt(decimals));
          if (decimals === 0) expect(got).toBe(exact);
        },
      ),
    );
  });
});
