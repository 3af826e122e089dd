import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutNulls } from '../../src/wire/read-parameters.ts';

test('removes null members at every depth and keeps list items', () => {
  expect(withoutNulls({ a: null, b: { c: null, d: 1 }, e: [null, { f: null }], g: '' })).toEqual({
    b: { d: 1 },
    e: [null, {}],
    g: '',
  });
  expect(withoutNulls(null)).toBeNull();
});

test('copies only if a member is null', () => {
  const plain = { a: [null, 'x'], b: { c: 1 } };
  expect(withoutNulls(plain)).toBe(plain);
  const original = { a: { b: null }, c: [1] };
  expect(withoutNulls(original)).toEqual({ a: {}, c: [1] });
  expect(original).toEqual({ a: { b: null }, c: [1] });
});

test('treats a member named __proto__ like any other', () => {
  for (const text of ['{"__proto__":{"isAdmin":true,"a":null}}', '{"__proto__":{"isAdmin":true}}']) {
    const result = withoutNulls(JSON.parse(text)) as { isAdmin?: boolean };
    expect(JSON.stringify(result)).toBe('{"__proto__":{"isAdmin":true}}');
    expect(result.isAdmin).toBeUndefined();
  }
});

test('changes nothing else and is idempotent', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const result = withoutNulls(value);
      expect(withoutNulls(result)).toEqual(result);
      if (!JSON.stringify(value).includes('null')) expect(result).toBe(value);
    }),
  );
});
