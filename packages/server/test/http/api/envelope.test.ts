import type { JsonObject } from '@countersign/strict-json';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readEnvelope } from '../../../src/http/api/envelope.ts';

const IGNORED = 'generateAppProofs';

function outcome(body: JsonObject): unknown {
  try {
    return readEnvelope(body, [IGNORED]);
  } catch (error) {
    return (error as Error).message;
  }
}

test('reads an envelope exactly as its schema does', () => {
  const member = fc.oneof({ arbitrary: fc.string(), weight: 8 }, fc.jsonValue());
  const near = fc.record(
    {
      type: member,
      timestampMs: member,
      organizationId: member,
      parameters: fc.oneof(
        { arbitrary: fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.jsonValue()), weight: 8 },
        fc.jsonValue(),
      ),
      other: fc.jsonValue(),
    },
    { requiredKeys: ['type', 'timestampMs', 'organizationId', 'parameters'] },
  );
  let read = 0;
  fc.assert(
    fc.property(
      fc.oneof({ arbitrary: near, weight: 4 }, fc.dictionary(fc.constantFrom('type', 'parameters', 'x'), fc.jsonValue())),
      (made) => {
        const body = made as JsonObject;
        const quick = outcome(body);
        // A key that is ignored has the schema read the body.
        expect(quick).toEqual(outcome({ ...body, [IGNORED]: true }));
        if (typeof quick === 'object') read++;
      },
    ),
    { numRuns: 500 },
  );
  expect(read).toBeGreaterThan(10);
});
