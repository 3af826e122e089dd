import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toJson, WrittenJson, writeObject } from '../../src/wire/written-json.ts';
import { textOf } from './said-by.ts';

const written = (value: unknown) => new WrittenJson([Buffer.from(JSON.stringify(value))]);

describe('JSON that is written already', () => {
  test('stands in an object as its value would, whatever the names and values are', () => {
    const members = fc.array(fc.tuple(fc.string(), fc.jsonValue(), fc.boolean()), { maxLength: 8 });
    fc.assert(
      fc.property(members, (all) => {
        const plain = Object.fromEntries(all.map(([name, value]) => [name, value]));
        const partly = Object.fromEntries(all.map(([name, value, isWritten]) => [name, isWritten ? written(value) : value]));
        expect(textOf(writeObject(partly))).toBe(JSON.stringify(plain));
        expect(textOf(writeObject({ in: writeObject(partly) }))).toBe(JSON.stringify({ in: plain }));
      }),
    );
  });

  test('members without a value are left out', () => {
    expect(textOf(writeObject({ a: undefined, b: written(1), c: undefined }))).toBe('{"b":1}');
    expect(textOf(writeObject({ a: undefined }))).toBe('{}');
  });

  test('is sent as it is, and a value as JSON.stringify gives it', () => {
    const made = written([1]);
    expect([toJson(made), toJson({ a: [1] })]).toEqual([made, '{"a":[1]}']);
  });
});
