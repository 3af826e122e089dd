import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { columns, rowsOf, toLine } from '../src/pages/activities/csv.ts';
import { effectiveFilter, filterOf, isAmount, searchInput } from '../src/pages/activities/filter.ts';
import { meaningOf } from '../src/pages/activities/meaning.ts';

/** With both marks of its alphabet. */
const TON = 'EQD-_'.padEnd(48, 'a');
const address = `0x${'ab'.repeat(20)}`;

describe('the text in the search field of activities', () => {
  test.each([
    ['', undefined],
    ['  ', undefined],
    ['01a1f057-4d82-7048-88c9-716b553fc7ee', { is: 'activity', id: '01a1f057-4d82-7048-88c9-716b553fc7ee' }],
    [address, { is: 'address', filter: { to: address } }],
    ['TN3W4H6rK2ce4vX9YnFQHwKENnHjoxb3m9', { is: 'address', filter: { to: 'TN3W4H6rK2ce4vX9YnFQHwKENnHjoxb3m9' } }],
    ['25000 USDC', { is: 'amount', filter: { min: '25000', max: '25000', asset: 'USDC' } }],
    ['25,000 USDC', { is: 'unclear' }],
    ['1,5 ETH', { is: 'unclear' }],
    ['> 1.500,5', { is: 'unclear' }],
    ['1 500', { is: 'unclear' }],
    ["1'500 CHF", { is: 'unclear' }],
    [TON, { is: 'address', filter: { to: TON } }],
    [`0:${'ab'.repeat(32)}`, { is: 'address', filter: { to: `0:${'ab'.repeat(32)}` } }],
    ['25000', { is: 'amount', filter: { min: '25000', max: '25000' } }],
    ['> 0.5 ETH', { is: 'amount', filter: { min: '0.5', asset: 'ETH' } }],
    ['<500', { is: 'amount', filter: { max: '500' } }],
    ['Acme', { is: 'name', text: 'Acme' }],
    ['bob@example.com', { is: 'name', text: 'bob@example.com' }],
  ])('%j', (text, meaning) => {
    expect(meaningOf(text)).toEqual(meaning);
  });

  test('becomes a search that the service understands', () => {
    expect(searchInput({ min: ' 25000', asset: 'USDC', to: address })).toEqual({
      minimumAmount: '25000',
      asset: 'USDC',
      counterparty: address,
    });
    const { since, until } = searchInput({ since: '2026-11-18', until: '2026-11-18' });
    expect(Number(until) - Number(since)).toBe(86_400_000);
    expect(searchInput({ since: 'yesterday' })).toEqual({});
  });

  test.each(['1,5', '25,000', '1 500', '1.', '.5', '-1', '1e3', "1'500", ''])(
    'D1150: %j is no amount, and nothing is searched for it',
    (text) => {
      expect(isAmount(text)).toBe(false);
      expect(searchInput({ min: text, max: text })).toEqual({});
      expect(effectiveFilter({ min: text })).toBeUndefined();
      expect(effectiveFilter({ max: text })).toBeUndefined();
    },
  );

  test('D1151: the text of the search field is a part of the filter, and one that limits nothing has none', () => {
    expect(effectiveFilter(filterOf({ status: 'x', text: '25000 USDC' }))).toEqual({
      status: 'x',
      min: '25000',
      max: '25000',
      asset: 'USDC',
    });
    expect(effectiveFilter({ text: address, asset: 'ETH' })).toEqual({ to: address, asset: 'ETH' });
    for (const text of ['carol', '1,5 ETH', '01a1f057-4d82-7048-88c9-716b553fc7ee'])
      expect(effectiveFilter({ status: 'x', text })).toBeUndefined();
    expect(effectiveFilter({ status: 'x', text: ' ' })).toEqual({ status: 'x' });
  });

  test('the address of a page keeps texts as they are', () => {
    expect(filterOf({ min: 25, to: address, other: 'x', max: '' })).toEqual({ min: '25', to: address });
  });
});

describe('a line of CSV', () => {
  test('D823: no value begins like a formula', () => {
    fc.assert(
      fc.property(fc.constantFrom('=', '+', '-', '@', '\t', ' ='), fc.string(), (start, rest) => {
        expect(toLine([start + rest])).toMatch(/^"?'/);
      }),
    );
  });

  test.each(['a;=1+1;b', 'a; +1', 'a;\t@x', 'a;-1', ';=1+1', '＝1+1', 'a;＋1', 'a"; =1+1', 'a;"=1+1";', 'a\n=1+1'])(
    'D1032: no part of a value begins like a formula where quotes are not seen or semicolons separate fields: %j',
    (value) => {
      const parts = toLine(['2026-11-19', value, 'z']).split(/[;\t\n]/);
      for (const part of parts) expect(part).not.toMatch(/^["\s]*[=+\-@＝＋－＠]/);
      expect(toLine([value]).replaceAll('""', '"').replaceAll("'", '')).toContain(value);
    },
  );

  test('has the network, the payer, the hash and the approvers of a payment', () => {
    const by = (userName: string, selection = 'VOTE_SELECTION_APPROVED') => ({ selection, user: { userName } });
    const coin = { id: 'eip155:1/slip44:60', kind: 'COIN', symbol: 'ETH' };
    const [line] = rowsOf({
      ...{ id: 'a', type: 'ACTIVITY_TYPE_ETH_SEND_TRANSACTION', status: 'ACTIVITY_STATUS_COMPLETED', transactionHash: '0xhash' },
      createdAt: { seconds: '0', nanos: '0' },
      votes: [by('Ann'), by('Bob'), by('Dan', 'VOTE_SELECTION_REJECTED'), by('Carol')],
      parsed: {
        description: 'send 1 ETH',
        effects: [
          { kind: 'CALL', what: 'memo "x"' },
          { kind: 'TRANSFER', asset: coin, from: '0xfrom', to: '0xto', amount: '1', units: '1' },
          { kind: 'FEE', asset: coin, from: '0xfrom', amount: '2' },
        ],
      },
    } as never).slice(1);
    expect(columns.slice(7)).toEqual([
      ...['Network', 'From', 'Effect', 'To', 'Asset', 'Asset id', 'Amount', 'Hash', 'Approved by'],
    ]);
    expect(line).toMatch(/,eip155:1,0xfrom,TRANSFER,0xto,ETH,eip155:1\/slip44:60,1,0xhash,"Bob, Carol"$/);
  });

  test('can be read again', () => {
    expect(toLine(['a', 'b,c', 'd "e"', 'f\ng'])).toBe('a,"b,c","d ""e""","f\ng"');
  });
});
