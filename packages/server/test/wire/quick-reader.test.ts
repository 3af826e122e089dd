import { type ActivityDefinition, activities, type QueryDefinition, queries } from '@countersign/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { NOT_TAKEN, quickReaderOf } from '../../src/wire/quick-reader.ts';

interface Def {
  readonly type: string;
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly innerType?: Schema;
  readonly element?: Schema;
  readonly entries?: Readonly<Record<string, string>>;
  readonly values?: readonly string[];
  readonly checks?: readonly { readonly _zod: { readonly def: { readonly check: string; readonly pattern?: RegExp } } }[];
}
interface Schema {
  readonly _zod: { readonly def: Def };
}

/** Values that a schema may take, mixed with some that it does not. */
function near({ _zod: { def } }: Schema): fc.Arbitrary<unknown> {
  const right = (): fc.Arbitrary<unknown> => {
    switch (def.type) {
      case 'object':
        return fc
          .record(Object.fromEntries(Object.entries(def.shape ?? {}).map(([name, member]) => [name, near(member)])), {
            requiredKeys: Object.entries(def.shape ?? {})
              .filter(([, member]) => member._zod.def.type !== 'optional')
              .map(([name]) => name),
          })
          .chain((made) => fc.shuffledSubarray(Object.entries(made), { minLength: Object.keys(made).length }))
          .map((entries) => Object.fromEntries(entries));
      case 'optional':
        return near(def.innerType as Schema);
      case 'array':
        return fc.array(near(def.element as Schema), { maxLength: 4 });
      case 'enum':
        return fc.constantFrom(...Object.values(def.entries ?? {}));
      case 'literal':
        return fc.constantFrom(...(def.values ?? []));
      case 'boolean':
        return fc.boolean();
      case 'number':
        return fc.nat();
      case 'string': {
        const patterns = (def.checks ?? []).flatMap(({ _zod }) => _zod.def.pattern ?? []);
        const made = patterns.map((pattern) => fc.stringMatching(pattern.flags === '' ? pattern : /^[a-z0-9]*$/));
        return fc.oneof(fc.string({ maxLength: 40 }), fc.stringMatching(/^[a-z0-9]{1,12}$/), ...made);
      }
      default:
        return fc.jsonValue();
    }
  };
  const wrong = fc.oneof(fc.constant(null), fc.jsonValue(), fc.string({ minLength: 120, maxLength: 300 }));
  return fc.oneof({ arbitrary: right(), weight: 24 }, { arbitrary: wrong, weight: 1 });
}

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
      fc.property(near(schema as unknown as Schema), (value) => {
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
