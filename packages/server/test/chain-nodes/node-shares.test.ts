import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ChainClient } from '../../src/chain-nodes/chain-client.ts';
import { createNodeShares } from '../../src/chain-nodes/node-shares.ts';

const call = { method: 'eth_blockNumber', params: [], result: z.string() };

/** A client of two endpoints whose calls wait until they are let go. */
function heldClient() {
  const held: (() => void)[] = [];
  const wait = () => new Promise<never>((resolve) => held.push(resolve as () => void));
  const client: ChainClient = {
    chain: 'eip155:1',
    namespace: 'eip155',
    endpoints: 2,
    call: wait,
    callAll: wait,
    every: wait,
    agree: wait,
    health: () => [],
  };
  return { client, held };
}

describe('the share of a tenant in the nodes', () => {
  test('D900: counts requests to every endpoint, and recovers with time', async () => {
    let nowMs = 0;
    const shares = createNodeShares({ perSecond: 2, nowMs: () => nowMs });
    const { client } = heldClient();
    const mine = shares.of(client, 'a');
    for (let calls = 0; calls < 4; calls++) void mine.agree(call);
    expect(shares.waitMs('a')).toBe(0);
    void mine.callAll(call);
    expect(shares.waitMs('a')).toBe(500);
    void mine.call(call);
    expect(shares.waitMs('a')).toBe(1_000);
    expect(shares.waitMs('b')).toBe(0);
    nowMs = 1_000;
    expect(shares.waitMs('a')).toBe(0);
  });

  test('D900: at most 8 calls of a tenant run at a time, and those of others go on', async () => {
    const shares = createNodeShares({ perSecond: 0, nowMs: () => 0 });
    const { client, held } = heldClient();
    const ended: number[] = [];
    for (let at = 0; at < 10; at++)
      void shares
        .of(client, 'a')
        .call(call)
        .then(() => ended.push(at));
    expect(held).toHaveLength(8);
    void shares.of(client, 'b').call(call);
    expect(held).toHaveLength(9);
    held[0]?.();
    await turn();
    expect(ended).toEqual([0]);
    expect(held).toHaveLength(10);
    for (const letGo of [...held]) letGo();
    await turn();
    for (const letGo of held) letGo();
    await turn();
    expect(ended).toHaveLength(10);
  });

  test('D900: nothing new begins while too many calls of the tenant wait', () => {
    const shares = createNodeShares({ perSecond: 0, nowMs: () => 0 });
    const { client } = heldClient();
    for (let at = 0; at < 135; at++) void shares.of(client, 'a').call(call);
    expect(shares.waitMs('a')).toBe(0);
    void shares.of(client, 'a').call(call);
    expect(shares.waitMs('a')).toBe(1_000);
    expect(shares.waitMs('b')).toBe(0);
  });
});
