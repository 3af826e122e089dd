import { redactorOf } from '@countersign/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineActivity } from '../src/define.ts';
import { secret } from '../src/secrets.ts';

const token = secret(z.string());

/** Redacts a value by its schemas, which must have a secret. */
function redacted(schemas: readonly z.ZodType[], value: unknown): unknown {
  const redact = redactorOf(schemas);
  if (redact === undefined) throw new Error('the schemas have no secret');
  return redact(value);
}

describe('where a secret is found', () => {
  const places: readonly (readonly [where: string, schema: z.ZodType, value: unknown, shown: unknown])[] = [
    ['a field', z.object({ token }), { token: 'x' }, { token: '' }],
    ['an optional field', z.strictObject({ token: token.optional() }), { token: 'x' }, { token: '' }],
    ['a nullable field', z.strictObject({ token: token.nullable() }), { token: 'x' }, { token: '' }],
    ['a mark outside of what is optional', z.object({ token: secret(z.string().optional()) }), { token: 'x' }, { token: '' }],
    ['a description after the mark', z.object({ token: token.describe('A token') }), { token: 'x' }, { token: '' }],
    ['a check after the mark', z.object({ token: token.max(9).refine((text) => text !== '') }), { token: 'x' }, { token: '' }],
    ['a name after the mark', z.object({ token: token.meta({ id: 'Token' }) }), { token: 'x' }, { token: '' }],
    ['a list', z.object({ tokens: z.array(token) }), { tokens: ['x', 'y'] }, { tokens: ['', ''] }],
    ['objects in a list', z.object({ all: z.array(z.object({ token })) }), { all: [{ token: 'x' }] }, { all: [{ token: '' }] }],
    ['an object as a whole', z.object({ deep: secret(z.object({ a: z.string() })) }), { deep: { a: 'x' } }, { deep: '' }],
    [
      'one member of a union',
      z.object({ one: z.union([z.string(), z.object({ token })]) }),
      { one: { token: 'x' } },
      { one: { token: '' } },
    ],
    ['a record', z.object({ byName: z.record(z.string(), token) }), { byName: { a: 'x' } }, { byName: { a: '' } }],
    ['what a schema leaves open', z.object({ a: z.string() }).catchall(token), { a: 'a', b: 'x' }, { a: 'a', b: '' }],
    ['an extended shape', z.object({ a: z.string() }).extend({ token }), { a: 'a', token: 'x' }, { a: 'a', token: '' }],
    ['a shape with a refinement', z.object({ token }).refine(() => true), { token: 'x' }, { token: '' }],
    ['a required field', z.object({ token: token.optional() }).required(), { token: 'x' }, { token: '' }],
  ];

  test.each(places)('%s', (_where, schema, value, shown) => {
    expect(redacted([schema], value)).toEqual(shown);
  });

  test('any of several schemas', () => {
    const schemas = [z.object({ a: z.string() }), z.object({ a: z.string(), list: z.array(z.object({ token })) })];
    expect(redacted(schemas, { a: 'a', list: [{ token: 'x' }] })).toEqual({ a: 'a', list: [{ token: '' }] });
    expect(redacted(schemas, { a: 'a' })).toEqual({ a: 'a' });
  });

  test('a kind of schema that nobody taught it is an error, not a place to hide in', () => {
    expect(() => redactorOf([z.object({ a: z.lazy(() => token) })])).toThrow('lazy');
    expect(() => redactorOf([z.object({ a: z.map(z.string(), token) })])).toThrow('map');
  });
});

describe('what is left alone', () => {
  test('schemas without a secret need no redactor', () => {
    expect(redactorOf([z.object({ a: z.string(), list: z.array(z.unknown()) })])).toBeUndefined();
  });

  test('a value without a secret is given back as it is', () => {
    const value = { name: 'token', list: [{ name: 'x' }], absent: undefined, nothing: null };
    const list = z.array(z.object({ name: z.string(), token: token.optional() }));
    const schema = z.object({
      name: z.string(),
      list,
      absent: z.string().optional(),
      nothing: z.string().nullable(),
      token: token.optional(),
    });
    expect(redacted([schema], value)).toBe(value);
  });

  test('of a list, only the members with a secret change', () => {
    const [plain, holding] = [{ name: 'a' }, { name: 'b', token: 'x' }];
    const shown = redacted([z.array(z.object({ name: z.string(), token: token.optional() }))], [plain, holding]) as unknown[];
    expect(shown[0]).toBe(plain);
    expect(shown[1]).toEqual({ name: 'b', token: '' });
  });
});

describe('what does not fit the schema', () => {
  const schema = z.object({ name: z.string(), deep: z.object({ token }) });

  test('fields that no schema knows are emptied beside a secret', () => {
    expect(redacted([schema], { name: 'a', other: 'x', deep: { token: 'x', other: ['x'] } })).toEqual({
      name: 'a',
      other: '',
      deep: { token: '', other: '' },
    });
  });

  test('text, lists and fields named like a prototype are emptied where an object with a secret belongs', () => {
    expect(redacted([schema], { name: 'a', deep: 'x' })).toEqual({ name: 'a', deep: '' });
    expect(redacted([schema], { name: 'a', deep: ['x'] })).toEqual({ name: 'a', deep: [''] });
    const shown = redacted([schema], JSON.parse('{"__proto__":{"token":"x"},"constructor":"x"}')) as object;
    expect(JSON.stringify(shown)).toBe('{"__proto__":"","constructor":""}');
    expect(Object.getPrototypeOf(shown)).toBe(Object.prototype);
  });

  test('nothing unknown is shown, whatever it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const marked = JSON.parse(JSON.stringify(value), (_key, inner) => (typeof inner === 'string' ? `LEAK${inner}` : inner));
        const shown = JSON.stringify(redacted([schema], { deep: marked, found: { marked } }));
        expect(shown).not.toContain('LEAK');
      }),
    );
  });
});

describe('secrets of a result', () => {
  const define = (result: z.ZodType) =>
    defineActivity({
      name: 'test',
      path: 'test',
      subject: 'users',
      summary: 'Test',
      policy: { resource: 'USER', action: 'CREATE' },
      type: 'ACTIVITY_TYPE_TEST',
      spec: 'none',
      params: z.strictObject({}),
      intent: z.strictObject({}),
      result,
    });

  test('are for the submitter alone', () => {
    expect(define(z.object({ id: z.string(), token })).submitterOnly).toEqual(['token']);
    expect(define(z.object({ id: z.string() })).submitterOnly).toEqual([]);
  });

  test.each([
    ['deeper down', z.object({ inner: z.object({ token }) })],
    ['in a list', z.object({ tokens: z.array(token) })],
    ['the whole of it', secret(z.object({ id: z.string() }))],
  ])('%s are refused, because nothing would take them out of what is stored', (_where, result) => {
    expect(() => define(result)).toThrow('top level');
  });
});
