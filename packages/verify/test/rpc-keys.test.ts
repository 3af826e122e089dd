import { activities, rpcOperations } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { APPROVE, REJECT, requireRpcBody } from '../src/activity-checks.ts';

const signing: ReadonlySet<string> = new Set(rpcOperations.activities);
const others = Object.keys(activities).filter((name) => !signing.has(name));

describe('D780: a stamp of an RPC key', () => {
  test.each(rpcOperations.activities)('on a request for %s counts, as its approval only', (name) => {
    expect(() => requireRpcBody(name, true, APPROVE)).not.toThrow();
    expect(() => requireRpcBody(name, true, REJECT)).toThrow('an RPC key does not stamp this');
    // A vote for an activity has a body of its own.
    expect(() => requireRpcBody(name, false, APPROVE)).toThrow('an RPC key does not stamp this');
  });

  test('on any other activity does not count', () => {
    expect(others).toEqual(expect.arrayContaining(['createApiKeys', 'approveActivity', 'stampLogin']));
    const counted = others.filter((name) => {
      try {
        requireRpcBody(name, true, APPROVE);
        return true;
      } catch {
        return false;
      }
    });
    expect(counted).toEqual([]);
  });
});
