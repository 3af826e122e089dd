import { describe, expect, test } from 'vitest';
import { newRequestBounds } from '../../src/parse-bounds.ts';
import { tronTransaction } from '../../src/tron/index.ts';
import { signer } from './support.ts';
import { contract, owner, type RawField, rawData, recipient, toHex } from './wire-builder.ts';

const key: readonly RawField[] = [
  [1, recipient],
  [2, 1n],
];
const repeat = (count: number, number: number, value: readonly RawField[]) =>
  Array.from({ length: count }, () => [number, value] as const);
const permission = (keys: number, type: readonly RawField[] = []): readonly RawField[] => [
  ...type,
  [4, 1n],
  ...repeat(keys, 7, key),
];
const update = (keys: number, actives: number) =>
  toHex(
    rawData([
      contract(46n, 'AccountPermissionUpdateContract', [
        [1, owner],
        [2, permission(keys)],
        ...repeat(actives, 4, permission(1, [[1, 2n]])),
      ]),
    ]),
  );
const votes = (count: number) => toHex(rawData([contract(4n, 'VoteWitnessContract', [[1, owner], ...repeat(count, 2, key)])]));
const read = (unsigned: string) => tronTransaction.parse(unsigned, { signer, interfaces: [], bounds: newRequestBounds });

describe('the work of reading lists', () => {
  test.each([
    ['keys', update(31, 0), 'Permission has more than 30 of keys'],
    ['permissions', update(1, 31), 'AccountPermissionUpdateContract has more than 30 of actives'],
    ['votes', votes(31), 'VoteWitnessContract has more than 30 of votes'],
  ])('D357: more %s than Tron executes are refused in a new request', (_, unsigned, reason) => {
    expect(() => read(unsigned)).toThrow(reason);
    // A stored request is read as it was.
    expect(tronTransaction.parse(unsigned, { signer, interfaces: [] }).effects.length).toBeGreaterThan(0);
  });

  test('thirty keys, permissions and votes are read', () => {
    expect(read(update(30, 30)).effects).toHaveLength(32);
    expect(read(votes(30)).description).toContain('1 for');
  });
});
