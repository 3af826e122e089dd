import type { Client } from '@countersign/client';
import { expect, test } from 'vitest';
import { disabledKeys } from '../src/pages/wallets/disabled-keys.ts';

/** A service with so many activities that disabled a key, newest first. */
function readerOf(count: number) {
  const calls: (string | undefined)[] = [];
  const all = Array.from({ length: count }, (_, at) => ({
    ...{ id: `a${at}`, intent: { disablePrivateKeyIntent: { privateKeyId: `k${at}` } } },
  }));
  const listActivities = async ({ paginationOptions: { limit, after } }: { paginationOptions: Record<string, string> }) => {
    calls.push(after);
    const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
    return { activities: all.slice(start, start + Number(limit)) };
  };
  return { reader: { listActivities } as unknown as Client, calls };
}

test('keys that were disabled long ago are marked too', async () => {
  for (const [count, pages] of [
    [0, 1],
    [99, 1],
    [250, 3],
  ] as const) {
    const { reader, calls } = readerOf(count);
    expect((await disabledKeys(reader)).length).toBe(count);
    expect(calls).toHaveLength(pages);
  }
});

test('the search for disabled keys ends after 20 pages', async () => {
  const { reader, calls } = readerOf(2_500);
  expect(await disabledKeys(reader)).toHaveLength(2_000);
  expect(calls).toHaveLength(20);
});
