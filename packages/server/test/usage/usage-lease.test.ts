import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createUsageLeases } from '../../src/usage/usage-lease.ts';

/** One lock that nodes get in the order in which they asked, as PostgreSQL gives it. */
function lock() {
  let tail: Promise<void> = Promise.resolve();
  return (_name: string, work: () => Promise<void>): Promise<void> => {
    const mine = tail.then(work);
    tail = mine.catch(() => undefined);
    return mine;
  };
}

describe('usage leases', () => {
  test('are needed only for some time after a lost count', () => {
    let now = 0;
    const turns = createUsageLeases(lock(), () => now);
    expect(turns.isContended('org')).toBe(false);
    turns.lost('org');
    expect([turns.isContended('org'), turns.isContended('other')]).toEqual([true, false]);
    now += 10_000;
    expect(turns.isContended('org')).toBe(false);
  });

  test('concurrent counts of a node share its lease, and two nodes never hold it together', async () => {
    const shared = lock();
    const nodes = [createUsageLeases(shared), createUsageLeases(shared)];
    const inside = new Set<number>();
    const done = [0, 0];
    let most = 0;
    const seen = new Set<object>();
    const stopAt = performance.now() + 600;
    const client = async (node: number) => {
      while (performance.now() < stopAt) {
        await nodes[node]?.take('org', async (turn) => {
          seen.add(turn);
          inside.add(node);
          most = Math.max(most, inside.size);
          await sleep(2);
          done[node] = (done[node] ?? 0) + 1;
          inside.delete(node);
        });
      }
    };
    await Promise.all(Array.from({ length: 16 }, (_, index) => client(index % 2)));
    expect(most).toBe(1);
    expect(seen.size).toBeGreaterThan(4);
    expect(seen.size).toBeLessThan((done[0] ?? 0) + (done[1] ?? 0));
    expect(Math.min(...done) / Math.max(...done)).toBeGreaterThan(0.3);
  });

  test('work proceeds if no lease is granted, and its failure is its own', async () => {
    const never = createUsageLeases(() => new Promise(() => undefined), undefined, 20);
    await expect(never.take('org', async () => 'done')).resolves.toBe('done');
    const broken = createUsageLeases(async () => Promise.reject(new Error('no connection')));
    await expect(broken.take('org', async () => 'done')).resolves.toBe('done');
    const fine = createUsageLeases((_name, work) => work());
    await expect(fine.take('org', async () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    await expect(fine.take('org', async () => 'next')).resolves.toBe('next');
  });
});
