import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Schema, valuesNear } from '../../../test/support/schema-values.ts';
import { type BodyBounds, bodyBounds, boundsOf } from '../src/body-bounds.ts';
import { activities, type OperationDefinition, queries } from '../src/index.ts';

const operations: readonly OperationDefinition[] = [...Object.values(activities), ...Object.values(queries)];

/** What a value holds. */
function measure(value: unknown): BodyBounds {
  if (typeof value === 'string') return { depth: 0, values: 1, text: value.length, items: 0 };
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 1, text: 0, items: 0 };
  const parts = (Array.isArray(value) ? value : Object.values(value)).map(measure);
  const most = (name: keyof BodyBounds) => Math.max(0, ...parts.map((part) => part[name]));
  return {
    depth: most('depth') + 1,
    values: parts.reduce((sum, { values }) => sum + values, 1),
    text: most('text'),
    items: Math.max(most('items'), Array.isArray(value) ? value.length : 0),
  };
}

function expectWithin(value: unknown, bounds: BodyBounds): void {
  for (const [name, most] of Object.entries(measure(value)))
    expect(most, name).toBeLessThanOrEqual(bounds[name as keyof BodyBounds]);
}

describe('D237: the bounds of bodies', () => {
  test('follow from what schemas say of lengths', () => {
    const schema = z.strictObject({
      names: z.array(z.string().max(5)).max(3),
      kind: z.enum(['ONE', 'EIGHTEEN']).optional(),
      either: z.union([z.boolean(), z.strictObject({ inner: z.array(z.number()).length(7) })]),
    });
    expect(boundsOf(schema)).toEqual({ depth: 3, values: 1 + 4 + 1 + 9, text: 8, items: 7 });
  });

  test.each([
    ['an open list', z.array(z.boolean()), { values: Infinity, items: Infinity, depth: 1 }],
    ['an open text', z.string().min(3), { text: Infinity, values: 1 }],
    ['a text that is cut before it is measured', z.string().trim().max(5), { text: Infinity }],
    ['an open object', z.object({ a: z.boolean() }), { depth: Infinity }],
    ['a record', z.record(z.string(), z.boolean()), { values: Infinity }],
    ['anything', z.unknown(), { depth: Infinity }],
    ['a number that is made of anything', z.coerce.number(), { depth: Infinity }],
    ['what is changed first', z.preprocess((value) => value, z.boolean()), { depth: Infinity }],
  ])('are left open for %s', (_, schema, expected) => {
    expect(boundsOf(schema)).toMatchObject(expected);
  });

  test('of a list that holds nothing are those of an empty list, whatever its items could be', () => {
    expect(boundsOf(z.array(z.unknown()).max(0))).toMatchObject({ values: 1, items: Infinity });
  });

  test('are tight where they matter', () => {
    const of = (name: keyof typeof activities) => bodyBounds(activities[name]);
    expect(of('deleteUsers')).toEqual({ depth: 3, values: 1_008, text: 1_024, items: 1_000 });
    expect(of('signRawPayload')).toMatchObject({ depth: 2, items: 0 });
    expect(operations.filter((each) => bodyBounds(each).depth > 9).map(({ name }) => name)).toEqual(['simulateActivity']);
  });

  test('hold every recorded example', () => {
    const file = new URL('../../../docs/reference/examples.json', import.meta.url);
    const examples = JSON.parse(readFileSync(file, 'utf8')) as Record<string, { readonly request: unknown }>;
    let seen = 0;
    for (const definition of operations) {
      const example = examples[definition.name];
      if (example === undefined) continue;
      seen++;
      expectWithin(example.request, bodyBounds(definition));
    }
    expect(seen).toBeGreaterThan(100);
  });

  test('hold whatever a schema takes', () => {
    let taken = 0;
    for (const definition of operations) {
      const schemas =
        definition.kind === 'query'
          ? [definition.input]
          : definition.versions.flatMap(({ params, specParams }) => [params.schema, specParams.schema]);
      for (const schema of new Set(schemas)) {
        const bounds = boundsOf(schema);
        for (const value of fc.sample(valuesNear(schema as unknown as Schema), { numRuns: 6 })) {
          if (!schema.safeParse(value).success) continue;
          taken++;
          expectWithin(value, bounds);
        }
      }
    }
    expect(taken).toBeGreaterThan(300);
  });
});
