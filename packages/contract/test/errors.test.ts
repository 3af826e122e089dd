import { readFile } from 'node:fs/promises';
import { type ErrorSpec, errorCodes, ServiceError } from '@countersign/contract';
import { describe, expect, test } from 'vitest';

const all = Object.entries<ErrorSpec>(errorCodes);
const documented = await readFile(new URL('../../../docs/reference/errors.md', import.meta.url), 'utf8');
const documentedCodes = [...documented.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code);

// google.rpc.Code, as gRPC gateways map it to HTTP; the same number may stand for several statuses of one kind.
const statusesOf: Readonly<Record<number, readonly number[]>> = {
  3: [400, 413, 415],
  4: [408],
  5: [404, 410],
  6: [409],
  7: [403],
  8: [409, 429],
  9: [400],
  10: [409],
  12: [405, 501],
  13: [500],
  14: [503],
  15: [500],
  16: [401],
};

describe('errorCodes', () => {
  test('every code is documented, and every documented code exists', () => {
    expect([...documentedCodes].sort()).toEqual(all.map(([code]) => code).sort());
  });

  test.each(all)('%s has a status that fits its number, and a title', (_, { status, grpc, title }) => {
    expect(statusesOf[grpc]).toContain(status);
    expect(title).toMatch(/^[A-Z].*[^.]$/);
  });
});

test('a ServiceError carries its code, the fields to correct and the activity, and nothing by default', () => {
  const cause = new Error('why');
  const violations = [{ field: 'payload', description: 'is required' }];
  const error = new ServiceError('REQUEST_INVALID', 'invalid request', { cause, violations, activityId: 'a1' });
  expect(error).toMatchObject({
    name: 'ServiceError',
    code: 'REQUEST_INVALID',
    cause,
    violations,
    activityId: 'a1',
    reason: undefined,
  });
  expect(new ServiceError('INTERNAL', 'x')).toMatchObject({ violations: [], activityId: undefined });
});
