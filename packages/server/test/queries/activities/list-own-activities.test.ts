import { expect, test } from 'vitest';
import type { ActivityRecord } from '../../../src/organizations/activities/activity-record.ts';
import type { QueryContext } from '../../../src/pipeline/query.ts';
import { listActivities } from '../../../src/queries/activities/list-activities.ts';
import type { Page } from '../../../src/store/store.ts';

/** Activities of another user without end, in parts of 50, as the store returns them. */
function history(characters: number) {
  let read = 0;
  const votes = [{ userId: 'other', message: 'x'.repeat(characters) }];
  const record = { status: 'ACTIVITY_STATUS_COMPLETED', votes, decisions: [] } as unknown as ActivityRecord;
  const context = {
    organization: { id: 'organization' },
    caller: { userId: 'caller' },
    reserve: () => undefined,
    endSlice: async () => undefined,
    activities: {
      async *pageParts(_: string, __: object, { limit }: Page) {
        for (let left = limit; left > 0; left -= 50) {
          read += Math.min(left, 50);
          yield Array.from({ length: Math.min(left, 50) }, () => record);
        }
      },
    },
  } as unknown as QueryContext;
  return { context, read: () => read };
}

test('D323: a page of own activities reads a limited number of activities', async () => {
  const { context, read } = history(10);
  expect(await listActivities.own(context, { organizationId: 'organization' })).toEqual({ activities: [] });
  expect(read()).toBe(1_000);
});

test('D323: a page of own activities reads a limited number of characters', async () => {
  const { context, read } = history(1_000_000);
  await listActivities.own(context, { organizationId: 'organization' });
  expect(read()).toBe(50);
});
