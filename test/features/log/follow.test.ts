import { type ActivityStep, activitySteps, type LogRange } from '@countersign/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../support/caller.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createPrivateKey, signParams } from '../../support/world.ts';

/** How far the clock of the second node is behind. */
const BEHIND_MS = 5_000;

/** The id that a node with that clock would have made. RFC 9562 section 5.7: its first 48 bits are milliseconds since 1970. */
function earlier(id: string): string {
  const ms = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) - BEHIND_MS;
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}${id.slice(13)}`;
}

describe('a follower of two nodes whose clocks differ', () => {
  let installation: Installation;
  let nodes: readonly [TestService, TestService];

  beforeAll(async () => {
    installation = await engines.postgres();
    nodes = [
      await startService(installation),
      await startService(installation, {
        services: ({ newId }) => ({ newId: () => earlier(newId()) }),
      }),
    ];
  });
  afterAll(async () => {
    for (const node of nodes ?? []) await node.close();
    await installation?.remove();
  });

  test('D156: following the log misses no activity, a cursor over ids misses many', async () => {
    const { root } = nodes[0];
    const key = await createPrivateKey(root);
    const callers = nodes.map(({ url }) => root.with({ url })) as [Caller, Caller];
    const submitted = new Set<string>();
    let writing = true;
    const sign = async (caller: Caller) => {
      for (let count = 0; count < 25; count++) {
        const { body } = await caller.submit('signRawPayload', signParams(key));
        submitted.add(body.activity.id);
      }
    };
    const list = (range: LogRange) => root.data('listLogEntries', { ...range });
    const steps: ActivityStep[] = [];
    const byCursor = new Set<string>();
    const follow = async () => {
      let newest = '';
      for (let last = false; !last; ) {
        last = !writing;
        for await (const step of activitySteps(list, (steps.at(-1)?.sequence ?? 0) + 1)) steps.push(step);
        const before = newest === '' ? {} : { before: newest };
        const { activities } = await root.data('listActivities', { paginationOptions: { limit: '100', ...before } });
        for (const { id } of activities) byCursor.add(id);
        newest = activities[0]?.id ?? newest;
      }
    };
    const following = follow();
    await Promise.all([sign(callers[0]), sign(callers[0]), sign(callers[1]), sign(callers[1])]);
    writing = false;
    await following;
    const followed = steps.filter(({ activityId }) => submitted.has(activityId));
    expect(new Set(followed.map(({ activityId }) => activityId))).toEqual(submitted);
    expect(followed).toHaveLength(submitted.size);
    expect(steps.map(({ sequence }) => sequence)).toEqual(steps.map((_, index) => index + 1));
    // The cursor is here to show what it is that the log saves the follower from.
    expect([...submitted].some((id) => !byCursor.has(id))).toBe(true);
  });
});
