import { afterEach, describe, expect, test } from 'vitest';
import type { OutboxRow } from '../../../src/store/rows.ts';
import type { ClaimOutcome } from '../../../src/store/store.ts';
import { commitOf, createOrganization, head, outboxRow, put } from '../rows.ts';
import type { Subject } from './describe-store.ts';

const leaseMs = 60_000;
const delivered: ClaimOutcome = { delivered: true };
const ids = (rows: readonly Pick<OutboxRow, 'id'>[]) => rows.map(({ id }) => id);

/** Messages are delivered at least once, by one node at a time, and never without their commit. */
export function outboxSuite(subject: () => Subject): void {
  describe('outbox', () => {
    // A mailer serves all organizations, so each test has to leave nothing behind.
    afterEach(async () => {
      const { store } = subject();
      await store.outbox.dropExpired(Number.MAX_SAFE_INTEGER);
      await store.outbox.trimKept(0);
    });

    async function putMessages(...messages: Partial<OutboxRow>[]): Promise<OutboxRow[]> {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const rows = messages.map((fields) => outboxRow(organizationId, fields));
      const [outcome] = await store.commit([commitOf(organizationId, { writes: rows.map(put.outbox) })]);
      expect(outcome).toEqual({ taken: true });
      return rows;
    }

    test('a message is read as it was committed, with its first attempt counted', async () => {
      const { store } = subject();
      const [row] = await putMessages({ dueAtMs: 1000, expiresAtMs: 2000 });
      expect(await store.outbox.claim(1000, leaseMs, 10)).toEqual([{ ...row, attempts: 1, dueAtMs: 1000 + leaseMs }]);
    });

    test('a refused commit puts nothing in', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const stale = commitOf(organizationId, { expected: head(0), writes: [put.outbox(outboxRow(organizationId))] });
      expect(await store.commit([stale])).toEqual([{ taken: false, reason: 'VERSION_MOVED' }]);
      expect(await store.outbox.claim(0, leaseMs, 10)).toEqual([]);
    });

    test('a commit cannot insert another organization’s message', async () => {
      const { store } = subject();
      const [mine, other] = [await createOrganization(store), await createOrganization(store)];
      const [outcome] = await store.commit([commitOf(mine, { writes: [put.outbox(outboxRow(other))] })]);
      expect(outcome).toMatchObject({ taken: false, reason: 'INVALID' });
      expect(await store.outbox.claim(0, leaseMs, 10)).toEqual([]);
    });

    test('only due messages are claimed, the most overdue first, up to the limit', async () => {
      const { store } = subject();
      const [late, later, latest] = await putMessages({ dueAtMs: 30 }, { dueAtMs: 20 }, { dueAtMs: 10 });
      expect(await store.outbox.nextDueMs()).toBe(10);
      expect(ids(await store.outbox.claim(9, leaseMs, 10))).toEqual([]);
      expect(ids(await store.outbox.claim(30, leaseMs, 2)).sort()).toEqual(ids([later, latest] as OutboxRow[]).sort());
      expect(ids(await store.outbox.claim(30, leaseMs, 2))).toEqual([late?.id]);
    });

    test('organizations take turns: a long queue of one delays no other, and each gets its share', async () => {
      const { store } = subject();
      const flood = await putMessages(...Array.from({ length: 30 }, (_, dueAtMs) => ({ dueAtMs })));
      const others = [await putMessages({ dueAtMs: 500 }), await putMessages({ dueAtMs: 600 })];
      const [first, second, third] = [flood, ...others].map((rows) => rows[0]?.organizationId as string).sort();
      const turns = (rows: readonly OutboxRow[]) => rows.map(({ organizationId }) => organizationId);
      const claimed = await store.outbox.claim(1000, leaseMs, 8);
      expect(new Set(turns(claimed))).toEqual(new Set([first, second, third]));
      // Two of the flood, the most overdue first.
      expect(claimed.filter(({ organizationId }) => organizationId === flood[0]?.organizationId).map(({ id }) => id)).toEqual(
        ids(flood.slice(0, 2)),
      );
      expect(ids(await store.outbox.claim(1000, leaseMs, 8))).toEqual(ids(flood.slice(2, 10)));
    });

    test('turns go on after the organization that was served last, and round', async () => {
      const { store } = subject();
      const rows = [await putMessages({}, {}), await putMessages({}, {}), await putMessages({}, {})];
      const order = rows.map(([row]) => row?.organizationId as string).sort();
      const turns = async (after: string | undefined) =>
        (await store.outbox.claim(0, leaseMs, 2, after)).map(({ organizationId }) => organizationId);
      expect(await turns(order[1])).toEqual([order[2], order[0]]);
      expect(await turns(order[0])).toEqual([order[1], order[2]]);
      expect(await turns(order[2])).toEqual([order[0], order[1]]);
      expect(await turns(order[0])).toEqual([]);
    });

    test('nobody else gets a claimed message until its claim expires', async () => {
      const { store } = subject();
      const [row] = await putMessages({ dueAtMs: 0 });
      await store.outbox.claim(100, leaseMs, 10);
      expect(await store.outbox.claim(100 + leaseMs - 1, leaseMs, 10)).toEqual([]);
      expect(await store.outbox.claim(100 + leaseMs, leaseMs, 10)).toEqual([{ ...row, attempts: 2, dueAtMs: 100 + 2 * leaseMs }]);
    });

    test('concurrent nodes share the messages without overlap', async () => {
      const { installation } = subject();
      const rows = await putMessages(...Array.from({ length: 40 }, () => ({})));
      const nodes = await Promise.all(Array.from({ length: 4 }, () => installation.open()));
      try {
        const claims = await Promise.all(nodes.flatMap((node) => [1, 2, 3].map(() => node.outbox.claim(0, leaseMs, 5))));
        const claimed = ids(claims.flat());
        expect(new Set(claimed).size).toBe(claimed.length);
        const rest = await Promise.all(nodes.map((node) => node.outbox.claim(0, leaseMs, 40)));
        expect([...claimed, ...ids(rest.flat())].sort()).toEqual(ids(rows).sort());
      } finally {
        await Promise.all(nodes.map((node) => node.close()));
      }
    });

    test('a delivered message is gone', async () => {
      const { store } = subject();
      await putMessages({});
      const [claim] = await store.outbox.claim(0, leaseMs, 10);
      expect(await store.outbox.finish(claim as OutboxRow, delivered)).toBe(true);
      expect(await store.outbox.claim(leaseMs * 2, leaseMs, 10)).toEqual([]);
      expect(await store.outbox.nextDueMs()).toBeUndefined();
    });

    test('a failed attempt is due again at its set time, and keeps its reason', async () => {
      const { store } = subject();
      await putMessages({});
      const [claim] = await store.outbox.claim(0, leaseMs, 10);
      const again = { delivered: false, state: 'waiting', dueAtMs: 500, fault: 'busy' } as const;
      expect(await store.outbox.finish(claim as OutboxRow, again)).toBe(true);
      expect(await store.outbox.claim(499, leaseMs, 10)).toEqual([]);
      expect(await store.outbox.claim(500, leaseMs, 10)).toMatchObject([{ attempts: 2, fault: 'busy' }]);
    });

    test('an attempt that lost its claim settles nothing', async () => {
      const { store } = subject();
      await putMessages({});
      const [slow] = await store.outbox.claim(0, leaseMs, 10);
      const [second] = await store.outbox.claim(leaseMs, leaseMs, 10);
      expect(await store.outbox.finish(slow as OutboxRow, delivered)).toBe(false);
      const park = { delivered: false, state: 'parked', dueAtMs: 7, fault: 'no such mailbox' } as const;
      expect(await store.outbox.finish(slow as OutboxRow, park)).toBe(false);
      expect(await store.outbox.finish(second as OutboxRow, delivered)).toBe(true);
    });

    test('a parked message is not retried, and is listed', async () => {
      const { store } = subject();
      await putMessages({});
      const [claim] = await store.outbox.claim(0, leaseMs, 10);
      const park = { delivered: false, state: 'parked', dueAtMs: 7, fault: 'no such mailbox' } as const;
      await store.outbox.finish(claim as OutboxRow, park);
      expect(await store.outbox.claim(Number.MAX_SAFE_INTEGER - leaseMs, leaseMs, 10)).toEqual([]);
      expect(await store.outbox.list('parked', 10)).toMatchObject([{ id: claim?.id, fault: 'no such mailbox', dueAtMs: 7 }]);
      expect(await store.outbox.finish(claim as OutboxRow, delivered)).toBe(false);
    });

    test('expired messages are dropped and named, except those in the mailbox', async () => {
      const { store } = subject();
      const [waiting, parked, , live] = await putMessages(
        { expiresAtMs: 100 },
        { expiresAtMs: 100, state: 'parked' },
        { expiresAtMs: 100, state: 'kept' },
        { expiresAtMs: 101 },
      );
      const dropped = await store.outbox.dropExpired(100);
      expect(ids(dropped).sort()).toEqual(ids([waiting, parked] as OutboxRow[]).sort());
      expect(dropped.every((row) => !('ciphertext' in row))).toBe(true);
      expect(await store.outbox.list('kept', 10)).toHaveLength(1);
      expect(ids(await store.outbox.claim(0, leaseMs, 10))).toEqual([live?.id]);
    });

    test('the mailbox keeps the newest', async () => {
      const { store } = subject();
      const rows = await putMessages(...[1, 2, 3].map((dueAtMs) => ({ state: 'kept' as const, dueAtMs })));
      await store.outbox.trimKept(2);
      expect(ids(await store.outbox.list('kept', 10))).toEqual(ids(rows).slice(1).reverse());
      expect(ids(await store.outbox.list('kept', 1))).toEqual([rows[2]?.id]);
    });

    test('the schema refuses an unknown state', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const row = outboxRow(organizationId, { state: 'lost' as 'kept' });
      const [outcome] = await store.commit([commitOf(organizationId, { writes: [put.outbox(row)] })]);
      expect(outcome).toMatchObject({ taken: false, reason: 'INVALID' });
    });
  });
}
