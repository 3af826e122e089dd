import type { Effect } from '@countersign/chains';
import { type ControlOperator, controlOperators } from '@countersign/contract';
import { controlValue, countOf, type VelocityControlRecord } from '@countersign/judgement';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ANN, BOB, control, first, holding, NOW, paying, signing, transfer, usages } from '../support/controls-world.ts';

const UNIT = 1_000_000n;
const bucket = 'c/0/organization/';
const to = (address: string) => `c/0/destination/${address}`;
const operator = (name: string) => `VELOCITY_CONTROL_AGGREGATION_OPERATOR_${name}` as ControlOperator;

/** The value of a control for a request with these effects. */
function valueFor(of: VelocityControlRecord, effects: readonly Effect[], used: Readonly<Record<string, bigint>>, nowMs = NOW) {
  const counted = countOf(signing(holding({ c: of }), paying(effects)), 'c');
  if (counted === undefined) throw new Error('no such control');
  return controlValue(counted, usages(used), nowMs);
}

describe('the value of a control', () => {
  test.each([
    ['LESS_THAN', [true, false, false]],
    ['LESS_THAN_OR_EQUAL', [true, true, false]],
    ['EQUAL', [false, true, false]],
    ['GREATER_THAN_OR_EQUAL', [false, true, true]],
    ['GREATER_THAN', [false, false, true]],
  ])('%s compares the aggregate with this request included', (name, expected) => {
    const of = control({}, { operator: operator(name), threshold: '10' });
    expect([9n, 10n, 11n].map((sum) => valueFor(of, [transfer(4n * UNIT)], { [bucket]: sum - 4n }))).toEqual(expected);
  });

  test('a base unit above the threshold is too much', () => {
    expect(valueFor(control(), [transfer(100_000n * UNIT)], { [bucket]: 0n })).toBe(true);
    expect(valueFor(control(), [transfer(100_000n * UNIT + 1n)], { [bucket]: 0n })).toBe(false);
  });

  test('a request that adds nothing is compared with what is there', () => {
    const other = transfer(UNIT, ANN, 'eip155:1/slip44:60');
    expect(valueFor(control(), [other], { [bucket]: 100_000n })).toBe(true);
    expect(valueFor(control(), [other], { [bucket]: 100_001n })).toBe(false);
  });

  test('of several buckets every one must be below, and any one may be above: each is the opposite of the other', () => {
    const sides = [fc.bigInt({ min: 0n, max: 20n }), fc.bigInt({ min: 0n, max: 20n })] as const;
    fc.assert(
      fc.property(...sides, (ann, bob) => {
        const value = (name: string) =>
          valueFor(
            control({}, { operator: operator(name), threshold: '10', groupBy: { destination: {} } }),
            [transfer(UNIT), transfer(UNIT, BOB)],
            { [to(ANN)]: ann, [to(BOB)]: bob },
          );
        expect(value('LESS_THAN_OR_EQUAL')).toBe(ann + 1n <= 10n && bob + 1n <= 10n);
        expect(value('GREATER_THAN')).toBe(value('LESS_THAN_OR_EQUAL') === false);
        expect(value('GREATER_THAN_OR_EQUAL')).toBe(value('LESS_THAN') === false);
        expect(value('EQUAL')).toBe(ann === 9n && bob === 9n);
      }),
    );
  });

  test('a raise counts until its time, and not at it', () => {
    const of = control({ raise: { threshold: '200000', untilMs: NOW } });
    const value = (nowMs: number) => valueFor(of, [transfer(150_000n * UNIT)], { [bucket]: 0n }, nowMs);
    expect([value(NOW - 1), value(NOW)]).toEqual([true, false]);
  });

  test('every operator has a comparison', () => {
    for (const each of controlOperators)
      expect(typeof valueFor(control({}, { operator: each }), [transfer(1n)], { [bucket]: 0n })).toBe('boolean');
  });

  test('D140: a bucket whose usage nobody read gives no value', () => {
    expect(valueFor(control(), [transfer(1n)], {})).toEqual({ unread: 'its usage was not read' });
  });
});

describe('FIRST', () => {
  test('is true where one receiver had nothing before', () => {
    const pays = [transfer(UNIT), transfer(UNIT, BOB)];
    expect(valueFor(first(), pays, { [to(ANN)]: 0n, [to(BOB)]: 5n })).toBe(true);
    expect(valueFor(first(), pays, { [to(ANN)]: 1n, [to(BOB)]: 5n })).toBe(false);
    expect(valueFor(first(), [], {})).toMatchObject({ unread: expect.any(String) });
  });

  test('D143: two transfers of one transaction to a new address are a first transfer as well', () => {
    expect(valueFor(first(), [transfer(1n), transfer(1n)], { [to(ANN)]: 0n })).toBe(true);
  });

  test('D143: an old address beside a new one does not hide the new one', () => {
    expect(valueFor(first(), [transfer(1n, BOB), transfer(1n)], { [to(ANN)]: 0n, [to(BOB)]: 9n })).toBe(true);
  });
});
