import { expect, test } from 'vitest';
import type { ActivityRecord } from '../../../src/organizations/activities/activity-record.ts';
import { searchWriters } from '../../../src/queries/activities/record-writers.ts';

const idAt = (at: number) => `00000000-0000-7000-8000-${String(at).padStart(12, '0')}`;

type Context = Parameters<typeof searchWriters>[0];

/** The history of an organization: each activity wrote the contact with its number, the newest first. Counts what is read. */
function history(length: number) {
  const read = { activities: 0 };
  const records = Array.from({ length }, (_, index) => {
    const at = length - 1 - index;
    return { id: idAt(at), changed: { changes: [{ put: 'contact', id: `contact ${at}` }] } } as unknown as ActivityRecord;
  });
  const activities: Pick<Context['activities'], 'pageParts'> = {
    async *pageParts(_organizationId, _filter, { limit, after = '' }) {
      const part = records.filter(({ id }) => id < after).slice(0, limit);
      read.activities += part.length;
      yield part;
    },
  };
  const context = { activities, organization: { id: 'organization' }, endSlice: () => undefined } as unknown as Context;
  return { read, context };
}

const contact = (at: number) => ({ kind: 'contact', id: `contact ${at}`, updatedAtMs: 1 }) as const;

test('finds the writer of a record among the newest and among older activities', async () => {
  const { read, context } = history(500);
  const writerOf = searchWriters(context);
  expect((await writerOf(contact(495)))?.id).toBe(idAt(495));
  expect(read.activities).toBe(10);
  expect((await writerOf(contact(360)))?.id).toBe(idAt(360));
  expect(await writerOf(contact(340))).toBeUndefined();
  expect(read.activities).toBe(310);
});

test('D1041: the searches of one query read a limited number of activities', async () => {
  const { read, context } = history(500);
  const writerOf = searchWriters(context);
  for (let at = 0; at < 200; at += 1) expect(await writerOf(contact(at))).toBeUndefined();
  expect(read.activities).toBe(2_000);
  expect(await writerOf(contact(499))).toBeUndefined();
  expect((await searchWriters(context)(contact(499)))?.id).toBe(idAt(499));
});
