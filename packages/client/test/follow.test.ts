import { expect, test } from 'vitest';
import { type ActivityEvent, type ActivityStep, activityEvents, activitySteps } from '../src/index.ts';

const entry = (sequence: number, type: string) => ({
  opening: JSON.stringify({ sequence, activityId: `a${sequence}`, type, status: 'DONE', fingerprint: 'f', timeMs: 1 }),
});

async function all(steps: AsyncIterable<ActivityStep>): Promise<ActivityStep[]> {
  const list: ActivityStep[] = [];
  for await (const step of steps) list.push(step);
  return list;
}

test('steps of the service without a request are skipped, and their numbers are not missing', async () => {
  const entries = [entry(1, 'ACTIVITY_TYPE_A'), entry(2, 'STATE_CHANGED'), entry(3, 'ACTIVITY_TYPE_B')];
  const steps = await all(activitySteps(async () => ({ entries })));
  expect(steps.map(({ sequence }) => sequence)).toEqual([1, 3]);
});

test('a missing number is an error', async () => {
  const entries = [entry(1, 'ACTIVITY_TYPE_A'), entry(3, 'STATE_CHANGED')];
  await expect(all(activitySteps(async () => ({ entries })))).rejects.toThrow('step 2 of the organization is missing');
});

test('events are read to the newest, page by page, with the filters, and from the next number', async () => {
  const asked: unknown[] = [];
  const page = async (range: { readonly from?: string | undefined }) => {
    asked.push(range);
    const from = Number(range.from);
    const events = from === 3 ? [] : [{ sequence: String(from) } as ActivityEvent];
    return { events, next: String(from + 1), isNewest: from === 4 };
  };
  const list: string[] = [];
  for await (const { sequence } of activityEvents(page, 2, { filterByStatus: ['ACTIVITY_STATUS_FAILED'] })) list.push(sequence);
  expect(list).toEqual(['2', '4']);
  expect(asked).toEqual(['2', '3', '4'].map((from) => ({ from, filterByStatus: ['ACTIVITY_STATUS_FAILED'] })));
});
