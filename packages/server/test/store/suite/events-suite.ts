import { afterEach, describe, expect, test } from 'vitest';
import type { EventRow } from '../../../src/store/rows.ts';
import type { EndpointKey, Store } from '../../../src/store/store.ts';
import { commitOf, createOrganization, eventRow, head, put } from '../rows.ts';
import type { Subject } from './describe-store.ts';

const ids = (rows: readonly Pick<EventRow, 'id'>[]) => rows.map(({ id }) => id);
const endpointOf = ({ listenerId, endpointId }: EndpointKey): EndpointKey => ({ listenerId, endpointId });

/** Events wait for their endpoint in the order of commits, and never without their activity. */
export function eventsSuite(subject: () => Subject): void {
  describe('events', () => {
    // Delivery covers all organizations, so each test has to leave nothing behind.
    afterEach(async () => {
      const { store } = subject();
      for (const endpoint of await allWaiting(store)) {
        const left = await store.events.oldest(endpoint, 1_000);
        await store.events.remove(
          endpoint,
          left.map(({ seq }) => seq),
        );
      }
    });

    async function commitEvents(organizationId: string, rows: readonly EventRow[]) {
      const [outcome] = await subject().store.commit([commitOf(organizationId, { writes: rows.map(put.event) })]);
      return outcome;
    }

    /** Inserts events, each in its own commit, for one endpoint of a new organization. */
    async function putEvents(...events: Partial<EventRow>[]) {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const rows = events.map((fields) => eventRow(organizationId, fields));
      for (const row of rows) expect(await commitEvents(organizationId, [row])).toEqual({ taken: true });
      return { organizationId, rows, endpoint: endpointOf(rows[0] as EventRow) };
    }

    test('an event is read as it was committed, text and bytes', async () => {
      const { store } = subject();
      const fields = { body: '{"name":"Ω \\u0000 \u2028 🖋"}', createdAtMs: 1_700_000_000_123, endpointId: 'Ω' };
      const { rows, endpoint } = await putEvents(fields);
      const [found, ...more] = await store.events.oldest(endpoint, 10);
      expect(more).toEqual([]);
      expect({ ...found, mac: Buffer.from(found?.mac ?? []) }).toEqual({
        ...rows[0],
        mac: Buffer.from(rows[0]?.mac ?? []),
        seq: expect.any(Number),
      });
    });

    test('events are read in the order of their commits, whatever their ids, and up to the limit', async () => {
      const { store } = subject();
      const { rows, endpoint } = await putEvents({ id: 'c' }, { id: 'a' }, { id: 'd' }, { id: 'b' });
      expect(ids(await store.events.oldest(endpoint, 10))).toEqual(ids(rows));
      expect(ids(await store.events.oldest(endpoint, 2))).toEqual(['c', 'a']);
      const seqs = (await store.events.oldest(endpoint, 10)).map(({ seq }) => seq);
      expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    });

    test('so are those of one batch', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const rows = ['c', 'a', 'd', 'b'].map((id) => eventRow(organizationId, { id }));
      await store.commit(rows.map((row) => commitOf(organizationId, { writes: [put.event(row)] })));
      expect(ids(await store.events.oldest(endpointOf(rows[0] as EventRow), 10))).toEqual(['c', 'a', 'd', 'b']);
    });

    test('numbers of removed events are not reused', async () => {
      const { store } = subject();
      const { organizationId, endpoint } = await putEvents({});
      const [first] = await store.events.oldest(endpoint, 1);
      await store.events.remove(endpoint, [first?.seq as number]);
      await commitEvents(organizationId, [eventRow(organizationId)]);
      const [second] = await store.events.oldest(endpoint, 1);
      expect(second?.seq).toBeGreaterThan(first?.seq as number);
    });

    test('a refused commit inserts nothing', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const row = eventRow(organizationId);
      const stale = commitOf(organizationId, { expected: head(0), writes: [put.event(row)] });
      expect(await store.commit([stale])).toEqual([{ taken: false, reason: 'VERSION_MOVED' }]);
      const taken = commitOf(organizationId);
      const again = commitOf(organizationId, { activity: { ...taken.activity, id: 'other' }, writes: [put.event(row)] });
      expect(await store.commit([taken, again])).toMatchObject([{ taken: true }, { taken: false, reason: 'FINGERPRINT_EXISTS' }]);
      expect(await store.events.oldest(row, 10)).toEqual([]);
      expect(await allWaiting(store)).toEqual([]);
    });

    test('a commit has events of its own organization only, but may address another organization’s endpoint', async () => {
      const { store } = subject();
      const [parent, child] = [await createOrganization(store), await createOrganization(store)];
      const foreign = eventRow(parent, { listenerId: child });
      expect(await commitEvents(child, [foreign])).toMatchObject({ taken: false, reason: 'INVALID' });
      expect(await allWaiting(store)).toEqual([]);
      const own = eventRow(child, { listenerId: parent });
      expect(await commitEvents(child, [own])).toEqual({ taken: true });
      expect(await allWaiting(store)).toEqual([endpointOf(own)]);
      expect(await store.events.oldest({ listenerId: child, endpointId: own.endpointId }, 10)).toEqual([]);
    });

    test('an event inserted twice waits once', async () => {
      const { store } = subject();
      const { organizationId, rows, endpoint } = await putEvents({});
      expect(await commitEvents(organizationId, rows)).toEqual({ taken: true });
      expect(ids(await store.events.oldest(endpoint, 10))).toEqual(ids(rows));
    });

    test('endpoints with waiting events are found in order, each once', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const endpoints = ['2', '10', '1', '3'].map((endpointId) => ({ listenerId: `of ${endpointId}`, endpointId }));
      const rows = endpoints.flatMap((fields) => [eventRow(organizationId, fields), eventRow(organizationId, fields)]);
      await commitEvents(organizationId, rows);
      const walk = async (...look: Parameters<Store['events']['due']>) => {
        const { endpoints, walkedTo } = await store.events.due(...look);
        return [endpoints.map(({ listenerId, endpointId }) => [listenerId, endpointId].join(' ')), walkedTo];
      };
      expect(await walk(0, 10)).toEqual([['of 1 1', 'of 10 10', 'of 2 2', 'of 3 3'], undefined]);
      expect(await walk(0, 2)).toEqual([['of 1 1', 'of 10 10'], '10']);
      expect(await walk(0, 2, '10')).toEqual([['of 2 2', 'of 3 3'], '3']);
      expect(await walk(0, 2, '3')).toEqual([[], undefined]);
      await store.events.lease({ listenerId: 'of 10', endpointId: '10' }, 'a', 0, 50);
      expect(await walk(0, 2)).toEqual([['of 1 1'], '10']);
      await store.events.release({ listenerId: 'of 10', endpointId: '10' }, 'a');
    });

    test('an endpoint with a lease or a pause is not found before its end', async () => {
      const { store } = subject();
      const { endpoint } = await putEvents({});
      const found = async (nowMs: number) => (await store.events.due(nowMs, 10)).endpoints.length;
      await store.events.lease(endpoint, 'a', 100, 50);
      expect([await found(149), await found(150)]).toEqual([0, 1]);
      await store.events.pause(endpoint, 'a', 1_000);
      expect([await found(999), await found(1_000)]).toEqual([0, 1]);
      await store.events.wake(endpoint.endpointId);
      expect(await found(0)).toBe(1);
    });

    test('the first event of each organization is found, except for excluded ones, whatever waits ahead of it', async () => {
      const { store } = subject();
      const made = [await createOrganization(store), await createOrganization(store), await createOrganization(store)];
      const [one, two, three] = made.sort() as [string, string, string];
      const bodies = ['1a', '2a', '1b', '3a', '2b'];
      for (const [index, organizationId] of [one, two, one, three, two].entries())
        await commitEvents(organizationId, [eventRow(organizationId, { listenerId: one, body: bodies[index] as string })]);
      await commitEvents(one, [eventRow(one, { listenerId: one, endpointId: 'other', body: 'x' })]);
      const endpoint = { listenerId: one, endpointId: 'endpoint' };
      const found = async (...look: [limit: number, except: readonly string[], after?: string]) =>
        (await store.events.firstOfOthers(endpoint, ...look)).map(({ body }) => body);
      expect(await found(10, [])).toEqual(['1a', '2a', '3a']);
      expect(await found(10, [one])).toEqual(['2a', '3a']);
      expect(await found(1, [one])).toEqual(['2a']);
      expect(await found(10, [one], two)).toEqual(['3a']);
      expect(await found(10, [one, two, three])).toEqual([]);
      expect(await found(10, [], three)).toEqual([]);
      expect(await store.events.firstOfOthers({ ...endpoint, listenerId: two }, 10, [])).toEqual([]);
    });

    /** Inserts an event for several endpoints that share its body. */
    async function putShared(organizationId: string, endpointIds: readonly string[], fields: Partial<EventRow> = {}) {
      const event = eventRow(organizationId, fields);
      const references = endpointIds.map((endpointId) => put.event({ ...event, endpointId, body: '' }));
      const writes = [put.eventBody({ organizationId, id: event.id, body: event.body }), ...references];
      expect(await subject().store.commit([commitOf(organizationId, { writes })])).toEqual([{ taken: true }]);
      return event;
    }

    /** The bodies that are stored for an organization. */
    async function bodiesOf(organizationId: string): Promise<unknown[]> {
      for await (const { table, rows } of subject().store.copy.read())
        if (table.name === 'event_bodies') return rows.filter(([owner]) => owner === organizationId);
      return [];
    }

    test('D360: a body is stored once for all endpoints, and deleted with the last one', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const event = await putShared(organizationId, ['a', 'b', 'c'], { body: '{"name":"Ω"}' });
      const endpoints = ['a', 'b', 'c'].map((endpointId) => ({ listenerId: organizationId, endpointId }));
      const seqs: number[] = [];
      for (const endpoint of endpoints) {
        const [found] = await store.events.oldest(endpoint, 10);
        expect(found).toMatchObject({ id: event.id, body: event.body, isShared: true });
        expect(await store.events.firstOfOthers(endpoint, 1, [])).toMatchObject([{ body: event.body }]);
        seqs.push(found?.seq as number);
      }
      expect(await bodiesOf(organizationId)).toEqual([[organizationId, event.id, event.body]]);
      for (const [at, endpoint] of endpoints.entries()) {
        expect(await bodiesOf(organizationId)).toHaveLength(1);
        await store.events.remove(endpoint, [seqs[at] as number]);
      }
      expect(await bodiesOf(organizationId)).toEqual([]);
    });

    test('D360: endpoints whose events are removed concurrently leave no body behind', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const endpointIds = Array.from({ length: 8 }, (_, at) => `endpoint ${at}`);
      for (let at = 0; at < 20; at += 1) await putShared(organizationId, endpointIds);
      await Promise.all(
        endpointIds.map(async (endpointId) => {
          const endpoint = { listenerId: organizationId, endpointId };
          const seqs = (await store.events.oldest(endpoint, 100)).map(({ seq }) => seq);
          for (let from = 0; from < seqs.length; from += 5) await store.events.remove(endpoint, seqs.slice(from, from + 5));
        }),
      );
      expect(await allWaiting(store)).toEqual([]);
      expect(await bodiesOf(organizationId)).toEqual([]);
    });

    test('D537: numbers are replaced only by the process that knows the current ones, and belong to one endpoint', async () => {
      const { store } = subject();
      const { organizationId, endpoint } = await putEvents({ body: '1' }, { body: '22' }, { body: '333' });
      const other = { listenerId: organizationId, endpointId: 'other' };
      const seqs = (await store.events.oldest(endpoint, 10)).map(({ seq }) => seq);
      expect(await store.events.window(endpoint)).toBeUndefined();
      const first = { streamId: 'one', firstSequence: 1, seqs: seqs.slice(0, 2) };
      expect(await store.events.replaceWindow(endpoint, first, undefined)).toBe(true);
      expect(await store.events.replaceWindow(endpoint, { ...first, streamId: 'two' }, undefined)).toBe(false);
      expect(await store.events.window(endpoint)).toEqual(first);
      expect(await store.events.window(other)).toBeUndefined();
      expect((await store.events.some(endpoint, seqs.slice(1))).map(({ body }) => body)).toEqual(['22', '333']);
      expect(await store.events.some(other, seqs)).toEqual([]);
      expect(await store.events.some(endpoint, [])).toEqual([]);
      const second = { streamId: 'one', firstSequence: 3, seqs: seqs.slice(2) };
      expect(await store.events.replaceWindow(endpoint, second, 1)).toBe(true);
      expect(await store.events.replaceWindow(endpoint, first, 1)).toBe(false);
      expect(await store.events.window(endpoint)).toEqual(second);
    });

    test('sizes are those of bodies, oldest first, and the newest can be removed from a number on', async () => {
      const { store } = subject();
      const { organizationId, endpoint } = await putEvents({ body: '1' }, { body: '22' });
      await putShared(organizationId, [endpoint.endpointId], { body: '333Ω' });
      const sizes = await store.events.sizes(endpoint, 10);
      expect(sizes.map(({ bytes }) => bytes)).toEqual([1, 2, 5]);
      expect(await store.events.sizes(endpoint, 10, sizes[1]?.seq)).toEqual([sizes[2]]);
      expect(await store.events.sizes(endpoint, 1)).toEqual([sizes[0]]);
      expect((await store.events.queues(10)).endpoints).toEqual([endpoint]);
      expect(await store.events.removeFrom(endpoint, sizes[1]?.seq as number, 1)).toBe(1);
      expect(await store.events.sizes(endpoint, 10)).toEqual(sizes.slice(0, 2));
      expect(await store.events.removeFrom(endpoint, 0, 10)).toBe(2);
      expect(await bodiesOf(organizationId)).toEqual([]);
      await store.events.noteDropped(endpoint, 2, 5);
      await store.events.noteDropped(endpoint, 1, 7);
      expect(await store.events.states(organizationId, [endpoint.endpointId], 10)).toMatchObject([
        { dropped: 3, droppedAtMs: 7 },
      ]);
    });

    test('removing events does not affect another endpoint', async () => {
      const { store } = subject();
      const { organizationId, endpoint } = await putEvents({}, {}, {});
      const other = eventRow(organizationId, { endpointId: 'other' });
      await commitEvents(organizationId, [other]);
      const [first, second, third] = (await store.events.oldest(endpoint, 10)).map(({ seq }) => seq) as [number, number, number];
      await store.events.remove(other, [first, second, third]);
      await store.events.remove(endpoint, []);
      expect(await store.events.oldest(endpoint, 10)).toHaveLength(3);
      await store.events.remove(endpoint, [third, first]);
      await store.events.remove(endpoint, [first]);
      expect((await store.events.oldest(endpoint, 10)).map(({ seq }) => seq)).toEqual([second]);
      expect(await store.events.oldest(other, 10)).toHaveLength(1);
    });
  });
}

/** Every endpoint with waiting events. */
async function allWaiting({ events }: Store): Promise<readonly EndpointKey[]> {
  return (await events.due(Number.MAX_SAFE_INTEGER, 1_000)).endpoints;
}
