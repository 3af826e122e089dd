import { activityEvents } from '@countersign/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../support/caller.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createPrivateKey, signParams } from '../../support/world.ts';

const WRITERS = 6;
const SIGNATURES = 40;

describe('a reader of events on two nodes of one PostgreSQL', () => {
  let installation: Installation;
  let nodes: TestService[];

  beforeAll(async () => {
    installation = await engines.postgres();
    nodes = [await startService(installation), await startService(installation)];
  });
  afterAll(async () => {
    for (const node of nodes ?? []) await node.close();
    await installation?.remove();
  });

  test('D536: misses none and gets none twice while both sign, the reader is interrupted and a node restarts', async () => {
    const { root } = nodes[0] as TestService;
    const at = (index: number) => root.with({ url: (nodes[index % 2] as TestService).url });
    const key = await createPrivateKey(root);
    const signed = new Set<string>();
    const sign = async (caller: () => Caller) => {
      for (let count = 0; count < SIGNATURES; count++) {
        const { status, body } = await caller().submit('signRawPayload', signParams(key));
        if (status === 200) signed.add(body.activity.id);
      }
    };
    let writing = true;
    let interruptions = 0;
    const sequences: number[] = [];
    const seen: string[] = [];
    const ids: string[] = [];
    const read = async () => {
      // Each connection takes a few events from the other node, then is given up in the middle of a page. The cursor is all that it leaves.
      for (let connection = 0; ; connection++) {
        const isLast = !writing;
        const caller = at(connection);
        const next = (sequences.at(-1) ?? 0) + 1;
        const few = 1 + (connection % 7);
        let taken = 0;
        try {
          for await (const event of activityEvents((range) => caller.data('listEvents', range), next)) {
            sequences.push(Number(event.sequence));
            seen.push(event.activityId);
            ids.push(event.eventId);
            taken += 1;
            if (!isLast && taken >= few) break;
          }
        } catch (error) {
          // The node stops. The reader continues at the other one.
          interruptions += 1;
          if (isLast || interruptions > 50) throw error;
        }
        if (isLast) return;
      }
    };
    const reading = read();
    await Promise.all(Array.from({ length: WRITERS }, (_, index) => sign(() => at(index))));
    // The second node restarts, and both sign again.
    const writers = Array.from({ length: WRITERS }, () => sign(() => at(0)));
    const [stopping] = nodes.splice(1, 1, nodes[0] as TestService);
    await stopping?.close();
    nodes[1] = await startService(installation);
    await Promise.all([...writers, sign(() => at(1))]);
    writing = false;
    await reading;
    expect(signed.size).toBeGreaterThanOrEqual(WRITERS * SIGNATURES);
    expect(seen.filter((id) => signed.has(id)).sort()).toEqual([...signed].sort());
    expect(new Set(ids).size).toBe(ids.length);
    expect(sequences).toEqual(sequences.map((_, index) => index + 1));
  });
});
