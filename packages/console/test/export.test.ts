import { expect, test } from 'vitest';
import { type Part, readPart } from '../src/pages/activities/export.ts';

/** A service with this many activities, and the cursors that it was asked for. */
function serviceOf(count: number) {
  const cursors: (string | undefined)[] = [];
  const searchActivities = async ({ limit, cursor }: { limit: number; cursor?: string }) => {
    cursors.push(cursor);
    const from = Number(cursor ?? 0);
    const to = Math.min(count, from + limit);
    const activities = Array.from({ length: to - from }, (_, at) => ({
      ...{ id: `a${from + at}`, type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', status: 'ACTIVITY_STATUS_COMPLETED', votes: [] },
      createdAt: { seconds: '0', nanos: '0' },
    }));
    return { activities, ...(to < count && { next: `${to}` }) };
  };
  return { reader: { searchActivities } as never, cursors };
}

test('a long day is exported in files of which each continues the last one', async () => {
  const { reader, cursors } = serviceOf(550);
  const parts: (Part & { readonly rows: readonly string[] })[] = [];
  do parts.push(await readPart(reader, { since: '0' }, () => {}, parts.at(-1), 250));
  while (parts.at(-1)?.next !== undefined);
  expect(parts.map(({ number, count }) => [number, count])).toEqual([
    [1, 250],
    [2, 250],
    [3, 50],
  ]);
  const ids = parts.flatMap(({ rows }) => rows.slice(1).map((row) => row.split(',')[1]));
  expect(ids).toEqual(Array.from({ length: 550 }, (_, at) => `a${at}`));
  expect(cursors).toEqual([undefined, '100', '200', '250', '350', '450', '500']);
});
