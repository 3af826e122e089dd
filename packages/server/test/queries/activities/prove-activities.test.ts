import { expect, test } from 'vitest';
import type { ActivityRecord } from '../../../src/organizations/activities/activity-record.ts';
import type { QueryContext } from '../../../src/pipeline/query.ts';
import { createProofs } from '../../../src/queries/activities/prove-activities.ts';

const leaf = { row: { revision: 0, leafIndex: 0, opening: '' }, salt: new Uint8Array(), opening: { version: 2 } };
let written = 0;
const context = {
  organization: { id: 'o1' },
  logProofs: { proofOf: async () => ({ checkpoint: '', leaf, hashes: [] }) },
  showActivity: ({ id, type }: ActivityRecord) => ({ id, type, votes: [] }),
  async endSlice(characters = 0) {
    written += characters;
  },
} as unknown as QueryContext;

const creationOf = (id: string, length: number) =>
  ({
    ...{ id, type: 'ACTIVITY_TYPE_CREATE_WALLET', intent: {}, result: {}, decisions: [] },
    votes: [],
    changed: { changes: [{ put: 'wallet', id: `of ${id}`, body: { walletName: 'n'.repeat(length) } }] },
  }) as unknown as ActivityRecord;

test('D1099: the contents of a response have a limit, beyond which activities are proven without them', async () => {
  const proofs = createProofs(context);
  for (let at = 0; at < 200; at += 1) await proofs.add(creationOf(`a${at}`, 900_000), true);
  const lengths = proofs.all().map(({ content = '' }) => content.length);
  expect(lengths).toHaveLength(200);
  expect(lengths.filter((each) => each > 0)).toHaveLength(5);
  // What exceeds the limit is not rendered either.
  expect(written).toBeLessThan(6_000_000);
});

test('a content that is too long is left out, and those of others are not', async () => {
  const proofs = createProofs(context);
  await proofs.add(creationOf('a1', 1_100_000), true);
  await proofs.add(creationOf('a2', 10), true);
  await proofs.add(creationOf('a3', 10), false);
  expect(proofs.all().map(({ content }) => content !== undefined)).toEqual([false, true, false]);
});

test('D1174: a content that is too long counts, so that two hundred of them are not rendered', async () => {
  const proofs = createProofs(context);
  const before = written;
  for (let at = 0; at < 200; at += 1) await proofs.add(creationOf(`a${at}`, 1_000_001), true);
  expect(proofs.all()).toHaveLength(200);
  expect(proofs.all().filter(({ content }) => content !== undefined)).toEqual([]);
  expect(written - before).toBeLessThan(6_000_000);
});
