import { describe, expect, test } from 'vitest';
import { StoreFenced } from '../../../src/store/store-errors.ts';
import { activityRow, bytes, commitOf, createOrganization, head, logEntryOf, put, recordRow } from '../rows.ts';
import type { Subject } from './describe-store.ts';

const name = 'test.fence';

/** A commit with a fence is taken only while the setting is stored as the caller knows it. */
export function fenceSuite(subject: () => Subject): void {
  async function fenceAt(body: string): Promise<void> {
    await subject().store.maintain(({ putSetting }) => putSetting(name, body));
  }

  describe('fence', () => {
    test('D111: nothing is written once the setting is another, in each kind of commit', async () => {
      const { store } = subject();
      const organizationId = await createOrganization(store);
      await fenceAt('epoch 1');
      const first = { name, body: 'epoch 1' };
      const signs = () => {
        const activity = activityRow(organizationId);
        return commitOf(organizationId, { activity, logEntry: logEntryOf(activity) });
      };
      expect(await store.commit([signs()], first)).toEqual([{ taken: true }]);
      await fenceAt('epoch 2');
      const row = recordRow(organizationId);
      const changes = commitOf(organizationId, {
        activity: activityRow(organizationId),
        writes: [put.record(row)],
        head: head(2),
      });
      const refused = commitOf(organizationId, {
        activity: activityRow(organizationId, { status: 'no status' }),
        writes: [put.record(row)],
      });
      const before = await store.copy.count();
      for (const batch of [[signs()], [signs(), signs()], [changes], [signs(), changes], [refused]])
        await expect(store.commit(batch, first)).rejects.toBeInstanceOf(StoreFenced);
      await expect(store.commit([signs()], { name: 'no such setting', body: '' })).rejects.toBeInstanceOf(StoreFenced);
      expect(await store.copy.count()).toBe(before);
      expect(await store.commit([signs(), changes], { name, body: 'epoch 2' })).toEqual([{ taken: true }, { taken: true }]);
    });

    test('D111: commits that run while the epoch is raised are taken before it or not at all', async () => {
      const { store, installation } = subject();
      const other = await installation.open();
      const organizationId = await createOrganization(store);
      await fenceAt('epoch 1');
      let raised = false;
      const late: boolean[] = [];
      const sign = async () => {
        const wasRaised = raised;
        const outcome = await other
          .commit([commitOf(organizationId, { activity: activityRow(organizationId, { mac: bytes() }) })], {
            name,
            body: 'epoch 1',
          })
          .catch((error: unknown) => error);
        if (!(outcome instanceof StoreFenced)) late.push(wasRaised);
      };
      const signing = (async () => {
        for (let count = 0; count < 60; count++) await sign();
      })();
      await fenceAt('epoch 2');
      raised = true;
      await signing;
      expect(late).not.toContain(true);
      await other.close();
    });
  });
}
