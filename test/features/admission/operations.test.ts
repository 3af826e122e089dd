import { activities, queries } from '@countersign/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { missingAnvil, withAnvil } from '../../support/anvil.ts';
import { expectedRefusals, mayStoreMore, storedPerByte } from '../../support/walk/bounds.ts';
import type { Walked } from '../../support/walk/requests.ts';
import { sendingOperations } from '../../support/walk/sending.ts';
import { walkOperations } from '../../support/walk/walk.ts';

/** Aim for bytes stored per byte of a request, after the fixed cost of an activity. */
const MAX_STORED_PER_BYTE = 20;

describe('every operation at its limits', () => {
  let walked: readonly Walked[];

  beforeAll(async () => {
    walked = await walkOperations({ runs: 1 });
  }, 1_800_000);

  test(withAnvil('D365: every operation of the contract is walked'), () => {
    const names = new Set(walked.map(({ operation }) => operation));
    const expected = [...Object.keys(activities), ...Object.keys(queries)];
    // The title says so where sending cannot be walked.
    const present = missingAnvil === undefined ? expected : expected.filter((name) => !sendingOperations.includes(name));
    expect([...names].sort()).toEqual(present.sort());
  });

  test('usual requests succeed, so that they show the cost of work', () => {
    const failed = walked.filter(({ form, operation, cost }) => {
      return cost.status !== 200 && form === 'small' && !expectedRefusals.has(operation);
    });
    expect(failed.map(({ operation, form, cost: { status, excerpt } }) => [operation, form, status, excerpt])).toEqual([]);
  });

  test('D365: no request stores more than 20 bytes for each of its bytes', () => {
    const above = walked.filter((each) => storedPerByte(each.cost) > MAX_STORED_PER_BYTE && !mayStoreMore(each));
    expect(above.map(({ operation, form, cost }) => [operation, form, cost.requestBytes, cost.storedBytes])).toEqual([]);
  });

  test('refused requests and queries store at most the record of the refusal', () => {
    const stored = walked.filter(({ operation, form, cost }) => {
      return (form === 'refused' || operation in queries) && storedPerByte(cost) > 2;
    });
    expect(stored.map(({ operation, form, cost }) => [operation, form, cost.requestBytes, cost.storedBytes])).toEqual([]);
  });
});
