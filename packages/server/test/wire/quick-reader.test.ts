import { type ActivityDefinition, activities, type QueryDefinition, queries } from '@countersign/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Schema, valuesNear } from '../../../../test/support/schema-values.ts';
import { NOT_TAKEN, quickReaderOf } from '../../src/wire/quick-reader.ts';

/** What hardly any schema takes. */
const wrong = fc.oneof(fc.constant(null), fc.jsonValue(), fc.string({ minLength: 120, maxLength: 300 }));

/** What the quick reader says agrees with the schema. Gives whether it took the value. */
function agree(schema: z.ZodType, value: unknown): boolean {
  const quick = quickReaderOf(schema)?.(value) ?? NOT_TAKEN;
  if (quick === NOT_TAKEN) return false;
  const parsed = schema.safeParse(value);
  expect(parsed.success).toBe(true);
  expect(quick).toEqual(parsed.data);
  expect(JSON.stringify(quick)).toBe(JSON.stringify(parsed.data));
  return true;
}

const schemas: readonly (readonly [string, z.ZodType])[] = [
  ...Object.values<ActivityDefinition>(activities).flatMap(({ versions }) =>
    versions.flatMap(({ type, params, specParams }) => [
      [type, params.schema] as const,
      [`${type} of the specification`, specParams.schema] as const,
    ]),
  ),
  ...Object.values<QueryDefinition>(queries).map(({ name, input }) => [name, input] as const),
];
const quick = schemas.filter(([, schema]) => quickReaderOf(schema) !== undefined);

describe('a quick reader', () => {
  test('exists for the operations that are asked most', () => {
    const names = quick.map(([name]) => name);
    expect(names).toContain('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2');
    expect(names).toContain('ACTIVITY_TYPE_SIGN_TRANSACTION_V2');
    expect(names.length).toBeGreaterThan(40);
  });

  test.each(quick)('takes what the schema takes, with the same result: %s', (_, schema) => {
    let taken = 0;
    fc.assert(
      fc.property(valuesNear(schema as unknown as Schema, wrong), (value) => {
        if (agree(schema, value)) taken++;
      }),
      { numRuns: 60 },
    );
    expect(taken).toBeGreaterThan(0);
  });

  test('leaves everything else to the schema', () => {
    const schema = z.strictObject({
      a: z
        .string()
        .min(1)
        .max(3)
        .regex(/^[a-z]+$/),
      b: z.array(z.boolean()).max(2).optional(),
    });
    const read = quickReaderOf(schema);
    expect(read?.({ b: [true], a: 'x' })).toEqual({ a: 'x', b: [true] });
    const others = [
      {},
      { a: '' },
      { a: 'abcd' },
      { a: 'A' },
      { a: 'x', c: 1 },
      { a: 'x', b: null },
      { a: 'x', b: [1] },
      [],
      null,
    ];
    for (const other of [...others, 'a', { a: 'x', b: [true, true, true] }, Object.create({ a: 'x' }), { a: 1 }])
      expect(read?.(other)).toBe(NOT_TAKEN);
  });

  test('D214: no check of a schema is passed over, and no null is taken for a value', () => {
    const even = z
      .string()
      .optional()
      .refine((text) => (text ?? '').length % 2 === 0);
    const trimmed = z
      .string()
      .optional()
      .overwrite((text) => text?.trim());
    expect(agree(z.strictObject({ even }), { even: 'abc' })).toBe(false);
    expect(agree(z.strictObject({ trimmed }), { trimmed: ' a ' })).toBe(false);
    for (const nothing of [z.literal(null), z.literal(['a', null])])
      expect(quickReaderOf(z.strictObject({ nothing }))?.({ nothing: null }) ?? NOT_TAKEN).toBe(NOT_TAKEN);
  });

  test('is not made for what it does not know', () => {
    const unknown = [
      z.string().transform((text) => text),
      z.string().refine((text) => text !== ''),
      z.uuid(),
      z.coerce.string(),
      z.string().regex(/a/g),
      z.string().trim(),
      z.object({ a: z.string() }),
      z.looseObject({ a: z.string() }),
      z.strictObject({ a: z.string().default('x') }),
      z.strictObject({ a: z.string().nullable() }),
      z.strictObject({ a: z.string() }).refine(() => true),
      z.array(z.string()).refine(() => true),
      z.record(z.string(), z.string()),
      z.union([z.string(), z.boolean()]),
    ];
    for (const schema of unknown) expect(quickReaderOf(schema)).toBeUndefined();
  });
});
