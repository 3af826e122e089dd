import fc from 'fast-check';
import { uuidv7 } from 'uuidv7';
import { describe, expect, test } from 'vitest';
import { activityRow, commitOf, createOrganization, lookupRow, put, recordRow, resourceRow } from '../rows.ts';
import type { Subject } from './describe-store.ts';

const nasty = [
  '%',
  '_',
  "'",
  '"',
  '\\',
  '`',
  '?',
  '$1',
  '--',
  ';',
  "'; DROP TABLE activities; --",
  '{"a","b"}',
  '{}',
  'NULL',
  'null',
  '\\x00',
  '\\u0000',
  '\u0000',
  'a\u0000b',
  '\u0001',
  '\u00010',
  '\u0001\u0000\u0001',
  '\n\t\r',
  ' ',
  'é',
  'e\u0301',
  '👩‍👩‍👧 🏳️‍🌈',
  '\u202eright to left\u202c אבג',
  '\ufeff',
  '\uffff',
  'x'.repeat(10_000),
  '👾'.repeat(5_000),
];

/** D59: text is text, whatever it contains. */
export function textSuite(subject: () => Subject): void {
  describe('text', () => {
    test('D59: names, values and bodies round-trip with any content', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const short = nasty.filter((text) => text.length < 100);
      const records = short.map((text) => recordRow(organizationId, { kind: text, id: text, body: text }));
      const resources = short.map((text) => resourceRow(organizationId, { kind: 'nasty', id: text, parentId: text, body: text }));
      const activities = short.map((text) =>
        activityRow(organizationId, { id: text, fingerprint: text, type: text, body: text }),
      );
      const secrets = short.map(
        (id) => ({ op: 'put', table: 'secrets', row: { organizationId, id, ciphertext: new Uint8Array(1) } }) as const,
      );
      const writes = [...records.map(put.record), ...resources.map(put.resource), ...secrets];
      const outcomes = await store.commit([
        ...activities.map((activity) => commitOf(organizationId, { activity })),
        commitOf(organizationId, { writes }),
      ]);
      expect(outcomes.every(({ taken }) => taken)).toBe(true);

      const byId = (a: { readonly id: string }, b: { readonly id: string }) => (a.id < b.id ? -1 : 1);
      expect(((await store.organizations.snapshot(organizationId))?.records ?? []).toSorted(byId)).toStrictEqual(
        records.toSorted(byId),
      );
      for (const [index, text] of short.entries()) {
        expect(await store.resources.list(organizationId, 'nasty', text)).toStrictEqual([resources[index]]);
        expect(await store.resources.get(organizationId, 'nasty', text)).toStrictEqual(resources[index]);
        expect((await store.secrets.get(organizationId, text))?.id).toBe(text);
        expect(await store.activities.get(organizationId, text)).toStrictEqual(activities[index]);
        expect(
          await store.activities.byRequest(organizationId, activityRow(organizationId, { fingerprint: text })),
        ).toStrictEqual(activities[index]);
        expect(await store.activities.page(organizationId, { types: [text] }, { limit: 2 })).toStrictEqual([activities[index]]);
      }
    });

    test('D59: an activity with such an id can be revised, and a second insert is refused', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const row = activityRow(organizationId, { id: 'a\u0000\u0001b', fingerprint: '\u0000', status: 'ACTIVITY_STATUS_PENDING' });
      await store.commit([commitOf(organizationId, { activity: row })]);
      const twin = { ...row, id: 'other' };
      const outcomes = await store.commit([
        commitOf(organizationId, { activity: { ...row, revision: 1 } }),
        commitOf(organizationId, { activity: twin }),
      ]);
      expect(outcomes).toEqual([{ taken: true }, { taken: false, reason: 'FINGERPRINT_EXISTS', activityId: row.id }]);
      expect(await store.commit([commitOf(organizationId, { activity: twin })])).toEqual([outcomes[1]]);
    });

    test('D59: a lookup finds exactly its own value, however long', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      const rows = nasty.map((value) => lookupRow(organizationId, { value, id: uuidv7() }));
      await store.commit([commitOf(organizationId, { writes: rows.map(put.lookup) })]);
      for (const row of rows)
        expect(await store.lookups.find(organizationId, row.kind, row.value, { limit: 99 })).toStrictEqual([row]);
      for (const value of ['', 'a', '%%', 'x', 'x'.repeat(9_999), 'É']) {
        expect(await store.lookups.find(organizationId, 'email', value, { limit: 99 })).toEqual([]);
      }
      await store.commit([commitOf(organizationId, { writes: rows.map((row) => ({ op: 'delete', table: 'lookups', row })) })]);
      for (const row of rows) expect(await store.lookups.find(organizationId, row.kind, row.value, { limit: 99 })).toEqual([]);
    });

    test('D59: cursors and ids may be any text', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      for (const text of [...nasty, '\ud800']) {
        expect(await store.activities.get(organizationId, text)).toBeUndefined();
        expect(await store.resources.get(text, text, text)).toBeUndefined();
        expect(await store.organizations.snapshot(text)).toBeUndefined();
        expect((await store.activities.page(organizationId, {}, { limit: 5, before: text, after: text })).length).toBe(0);
      }
    });

    test('D59: any well-formed text round-trips', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), async (value, body) => {
          const lookup = lookupRow(organizationId, { value });
          const activity = activityRow(organizationId, { body });
          await store.commit([commitOf(organizationId, { activity, writes: [put.lookup(lookup)] })]);
          expect(await store.activities.get(organizationId, activity.id)).toStrictEqual(activity);
          expect((await store.lookups.find(organizationId, 'email', value, { limit: 1 }))[0]).toStrictEqual(lookup);
        }),
        { numRuns: 30 },
      );
    });
  });
}
