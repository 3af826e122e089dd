import { activities, bodyBounds, type OperationDefinition, queries } from '@countersign/contract';
import { defaultJsonLimits } from '@countersign/strict-json';
import { describe, expect, test } from 'vitest';
import { readBodyObject } from '../../../src/http/api/envelope.ts';
import { jsonLimitsOf } from '../../../src/http/api/json-limits.ts';

const operations: readonly OperationDefinition[] = [...Object.values(activities), ...Object.values(queries)];
const envelope = { type: 'T', timestampMs: '1', organizationId: 'o' };

function readFor(definition: OperationDefinition, body: object) {
  return readBodyObject(Buffer.from(JSON.stringify(body)), jsonLimitsOf(definition));
}

describe('D237: JSON limits of a body', () => {
  test('admit everything that the schema accepts, and never exceed the default limits', () => {
    for (const definition of operations) {
      const { depth, values, text, items } = bodyBounds(definition);
      const limits = jsonLimitsOf(definition);
      expect(limits.depth, definition.name).toBeGreaterThanOrEqual(Math.min(depth, defaultJsonLimits.depth));
      expect(limits.values, definition.name).toBeGreaterThanOrEqual(Math.min(values, defaultJsonLimits.values));
      expect(limits.text, definition.name).toBeGreaterThanOrEqual(text);
      expect(limits.items, definition.name).toBeGreaterThanOrEqual(items);
      expect(limits.depth).toBeLessThanOrEqual(defaultJsonLimits.depth);
      expect(limits.values).toBeLessThanOrEqual(defaultJsonLimits.values);
    }
  });

  test('report the exceeded limit in the error', () => {
    const { deleteUsers, deletePolicy } = activities;
    const ids = (count: number, length = 36) => Array(count).fill('a'.repeat(length));
    const deep = (levels: number): object => (levels === 0 ? {} : { a: deep(levels - 1) });
    readFor(deleteUsers, { ...envelope, parameters: { userIds: ids(1_000, 128) } });
    expect(() => readFor(deleteUsers, { ...envelope, parameters: { userIds: ids(2_017) } })).toThrow('more than 2016 items');
    expect(() => readFor(deletePolicy, { ...envelope, parameters: { policyId: ids(31) } })).toThrow('more than 16 items');
    expect(() => readFor(deletePolicy, { ...envelope, parameters: { policyId: deep(3) } })).toThrow('nested deeper than 4');
    expect(() => readFor(deletePolicy, { ...envelope, ...Object.fromEntries(ids(40).map((id, at) => [at, id])) })).toThrow(
      'more than 32 values',
    );
    expect(() => readFor(deletePolicy, { ...envelope, parameters: { policyId: 'a'.repeat(2_049) } })).toThrow(
      'longer than 2048 characters',
    );
  });

  test('admit enough for the schema to name an unknown member', () => {
    const { deletePolicy } = activities;
    const body = { ...envelope, parameters: { policyId: 'p', unknown: { with: ['some', 'values'] } } };
    expect(readFor(deletePolicy, body)).toEqual(body);
  });
});
