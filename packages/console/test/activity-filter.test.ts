import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toLine } from '../src/pages/activities/csv.ts';
import { filterOf, meaningOf, searchInput } from '../src/pages/activities/filter.ts';

const address = `0x${'ab'.repeat(20)}`;

describe('the text in the search field of activities', () => {
  test.each([
    ['', undefined],
    ['  ', undefined],
    ['01a1f057-4d82-7048-88c9-716b553fc7ee', { is: 'activity', id: '01a1f057-4d82-7048-88c9-716b553fc7ee' }],
    [address, { is: 'address', filter: { to: address } }],
    ['TN3W4H6rK2ce4vX9YnFQHwKENnHjoxb3m9', { is: 'address', filter: { to: 'TN3W4H6rK2ce4vX9YnFQHwKENnHjoxb3m9' } }],
    ['25,000 USDC', { is: 'amount', filter: { min: '25,000', max: '25,000', asset: 'USDC' } }],
    ['25000', { is: 'amount', filter: { min: '25000', max: '25000' } }],
    ['> 0.5 ETH', { is: 'amount', filter: { min: '0.5', asset: 'ETH' } }],
    ['<500', { is: 'amount', filter: { max: '500' } }],
    ['Acme', { is: 'name', text: 'Acme' }],
    ['bob@example.com', { is: 'name', text: 'bob@example.com' }],
  ])('%j', (text, meaning) => {
    expect(meaningOf(text)).toEqual(meaning);
  });

  test('becomes a search that the service understands', () => {
    expect(searchInput({ min: '25,000', asset: 'USDC', to: address })).toEqual({
      minimumAmount: '25000',
      asset: 'USDC',
      counterparty: address,
    });
    const { since, until } = searchInput({ since: '2026-11-18', until: '2026-11-18' });
    expect(Number(until) - Number(since)).toBe(86_400_000);
    expect(searchInput({ since: 'yesterday' })).toEqual({});
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

  test('can be read again', () => {
    expect(toLine(['a', 'b,c', 'd "e"', 'f\ng'])).toBe('a,"b,c","d ""e""","f\ng"');
  });
});
