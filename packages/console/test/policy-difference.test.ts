import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareTexts } from '../src/pages/policies/compare-texts.ts';
import type { Draft } from '../src/pages/policies/draft.ts';
import { fillPlace, kindOfPlace, placeholdersIn } from '../src/pages/policies/placeholders.ts';

const version = (before: string, after: string, without: string) =>
  compareTexts(before, after)
    .filter((part) => part.in !== without)
    .map(({ text }) => text)
    .join('');

test('both versions of a text can be read from its differences', () => {
  const text = fc.array(fc.constantFrom('tx.is_payment', ' && ', '<=', ' ', '25_000', "'a b'", '\n'), { maxLength: 12 });
  fc.assert(
    fc.property(text, text, (first, second) => {
      const [before, after] = [first.join(''), second.join('')];
      expect(version(before, after, 'after')).toBe(before);
      expect(version(before, after, 'before')).toBe(after);
    }),
  );
});

test('marks the words that differ and no others', () => {
  expect(compareTexts('tx.max_fee <= 1 ETH && tx.is_payment', 'tx.max_fee <= 20 ETH && tx.is_payment')).toEqual([
    { text: 'tx.max_fee <= ', in: 'both' },
    { text: '1', in: 'before' },
    { text: '20', in: 'after' },
    { text: ' ETH && tx.is_payment', in: 'both' },
  ]);
  expect(compareTexts('same', 'same')).toEqual([{ text: 'same', in: 'both' }]);
});

test('D809: the places of a template that nobody filled in are found', () => {
  expect(
    placeholdersIn("wallet.id == '<hot wallet>'", "user.tags.contains('<tag of the office>') || '<hot wallet>' == ''"),
  ).toEqual(['<hot wallet>', '<tag of the office>']);
  expect(placeholdersIn('tx.max_fee < 1 ETH && 2 > 1', "a < b && c > 'd'")).toEqual([]);
  expect(placeholdersIn("x == 'a' && 1 < 2 && 3 > 2 && y == 'b'", "x == 'it\\'s' && 1 < 2 && 3 > y # don't <this>")).toEqual([]);
});

test.each([
  "wallet.id == '<hot wallet> '",
  "wallet.id == ' <hot wallet>'",
  "wallet.id == '<hot wallet>\u00a0'",
  "wallet.id == '<hot wallet>,'",
  "wallet.name == 'it\\'s <hot wallet> now'",
  "# don't\nwallet.id == '<hot wallet> '",
])('D809: a place with other characters beside it is found: %s', (text) => {
  expect(placeholdersIn(text)).toEqual(['<hot wallet>']);
});

test('a place of a template is filled with the id that a person chooses, and with no other text', () => {
  const draft: Draft = {
    ...({ policyName: 'Pay', effect: 'EFFECT_ALLOW', notes: '' } as const),
    condition: "wallet.id == '<hot wallet>'",
    consensus: "approvers.any(user, user.tags.contains('<tag of the office>'))",
  };
  const id = '01a1f4c2-4c43-744f-81c4-e8b2d17412f5';
  expect(fillPlace(draft, '<hot wallet>', id)).toEqual({ condition: `wallet.id == '${id}'`, consensus: draft.consensus });
  expect(fillPlace({ ...draft, condition: "wallet.id == '<hot wallet> '" }, '<hot wallet>', id)).toMatchObject({
    condition: `wallet.id == '${id}'`,
  });
  expect(fillPlace(draft, '<tag of the office>', `${id}') || true || ('`)).toEqual({});
  expect(['<hot wallet>', '<tag of the office>', '<period>'].map(kindOfPlace)).toEqual(['wallet', 'tag', undefined]);
});
