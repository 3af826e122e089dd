import { PersistentMap } from '@countersign/collections';
import { expect, test } from 'vitest';
import type { UserRecord } from '../../src/organizations/records.ts';
import type { Snapshot } from '../../src/organizations/snapshot/snapshot.ts';
import { worstCasesOfContext } from '../../src/organizations/worst-cases-of-context.ts';

const empty = PersistentMap.empty<never>();
const organization = {
  users: empty,
  policies: empty,
  profile: { rootQuorum: { threshold: 1, userIds: [] } },
  records: { user: empty, userTag: empty, velocityControl: empty, contact: empty, token: empty },
} as unknown as Snapshot;

const userWith = (tags: number): UserRecord =>
  ({ userName: 'A', userTags: Array.from({ length: tags }, (_, at) => `tag ${at}`) }) as unknown as UserRecord;

test('D644: looking for the policies that depend on many users is divided into slices', async () => {
  const users = new Map(Array.from({ length: 100 }, (_, at) => [`new:${at}`, userWith(100)]));
  let slices = 0;
  const lines = await worstCasesOfContext(
    organization,
    organization,
    { users },
    {
      nowMs: 0,
      endSlice() {
        slices += 1;
        return undefined;
      },
    },
  );
  expect(lines).toEqual(['WORST_CASE: no policy was found that depends on what changes here']);
  expect(slices).toBeGreaterThanOrEqual(users.size);
});
