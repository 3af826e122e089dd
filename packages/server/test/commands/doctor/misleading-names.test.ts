import { expect, test } from 'vitest';
import { misleadingNamesOf, nameAdvice } from '../../../src/commands/doctor/misleading-names.ts';

const usdc = 'eip155:1/erc20:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const times = { createdAtMs: 0, updatedAtMs: 0 };
const contact = (label: string, address: string) => ({ label, address, contactTags: [], notes: '', ...times });

function organization(tokens: readonly [string, string, string][], contacts: readonly [string, string][]) {
  const token = new Map(tokens.map(([id, asset, symbol]) => [id, { asset, symbol, decimals: 18, ...times }] as const));
  const named = contacts.map(([id, label]) => [id, contact(label, id)] as const);
  return { id: 'o', records: { token, contact: new Map(named) } } as never;
}

test('D455, D458: stored tokens that lost and labels that mislead are reported', () => {
  const found = misleadingNamesOf(
    organization(
      [
        ['t1', usdc, 'USDC'],
        ['t2', `eip155:1/erc20:0x${'66'.repeat(20)}`, 'ETH'],
        ['t3', `eip155:1/erc20:0x${'77'.repeat(20)}`, 'FOO'],
      ],
      [
        ['c1', 'Acme'],
        ['c2', '\u0410cme'],
        ['c3', 'Glo\u200bbex'],
        ['c4', 'Initech'],
      ],
    ),
  );
  expect(found).toEqual({
    tokens: ['t1 (organization o)', 't2 (organization o)'],
    contacts: ['c1 (organization o)', 'c2 (organization o)', 'c3 (organization o)'],
  });
  expect(nameAdvice([found]).map(({ check }) => check)).toEqual(['tokens', 'contacts']);
});

test('an organization without such names gets no warning', () => {
  expect(nameAdvice([misleadingNamesOf(organization([], [['c4', 'Initech']]))])).toEqual([]);
});
