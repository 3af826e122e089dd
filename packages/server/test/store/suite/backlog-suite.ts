import { afterEach, describe, expect, test } from 'vitest';
import { activityRow, commitOf, createOrganization, outboxRow, put } from '../rows.ts';
import type { Subject } from './describe-store.ts';

const PENDING = 'ACTIVITY_STATUS_CONSENSUS_NEEDED';

/** Counts of queued work, which the metrics report. */
export function backlogSuite(subject: () => Subject): void {
  describe('backlog', () => {
    afterEach(async () => {
      await subject().store.outbox.dropExpired(Number.MAX_SAFE_INTEGER);
    });

    /** Walks over all organizations in steps. */
    async function countPending(limit: number): Promise<{ pending: number; steps: number }> {
      const { backlog } = subject().store;
      let pending = 0;
      let steps = 0;
      for (let at: string | undefined = ''; at !== undefined; steps++) {
        const slice = await backlog.pending(at, limit);
        pending += slice.pending;
        at = slice.walkedTo;
      }
      return { pending, steps };
    }

    test('counts pending activities of every organization once, however long the steps are', async () => {
      const { store } = subject();
      const before = (await countPending(1_000)).pending;
      for (const statuses of [[PENDING, PENDING], ['ACTIVITY_STATUS_FAILED'], [PENDING, 'ACTIVITY_STATUS_COMPLETED']]) {
        const organizationId = await createOrganization(store);
        const commits = statuses.map((status) => commitOf(organizationId, { activity: activityRow(organizationId, { status }) }));
        for (const outcome of await store.commit(commits)) expect(outcome).toEqual({ taken: true });
      }
      const [long, short] = [await countPending(1_000), await countPending(2)];
      expect(long.pending).toBe(before + 3);
      expect(short.pending).toBe(before + 3);
      expect(short.steps).toBeGreaterThan(long.steps);
    });

    test('counts messages by state, up to a number', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const rows = ['waiting', 'waiting', 'waiting', 'parked'].map((state) => outboxRow(organizationId, { state } as never));
      const before = await store.backlog.outbox(100);
      await store.commit([commitOf(organizationId, { writes: rows.map(put.outbox) })]);
      expect(await store.backlog.outbox(100)).toEqual({
        waiting: before.waiting + 3,
        parked: before.parked + 1,
        kept: before.kept,
      });
      expect((await store.backlog.outbox(2)).waiting).toBe(2);
    });
  });
}
