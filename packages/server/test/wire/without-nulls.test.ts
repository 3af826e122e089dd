import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutNulls } from '../../src/wire/without-nulls.ts';

test('null members are left out at every depth; list items stay', () => {
  expect(withoutNulls({ a: null, b: { c: null, d: 1 }, e: [null, { f: null }], g: '' })).toEqual({
    b: { d: 1 },
    e: [null, {}],
    g: '',
  });
  expect(withoutNulls(null)).toBeNull();
});

test('a member named __proto__ is one like any other', () => {
  const once = withoutNulls(JSON.parse('{"__proto__":{"isAdmin":true,"a":null}}')) as { isAdmin?: boolean };
  expect(JSON.stringify(once)).toBe('{"__proto__":{"isAdmin":true}}');
  expect(once.isAdmin).toBeUndefined();
});

test('nothing else changes, and a second pass changes nothing', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const once = withoutNulls(value);
      expect(withoutNulls(once)).toEqual(once);
      if (!JSON.stringify(value).includes('null')) expect(once).toEqual(value);
    }),
  );
});
