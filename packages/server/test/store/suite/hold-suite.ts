import { describe, expect, test } from 'vitest';
import { StoreError } from '../../../src/store/store-errors.ts';
import type { Subject } from './describe-store.ts';

/** Who may use the installation concurrently. */
export function holdSuite(subject: () => Subject): void {
  describe('hold', () => {
    test('servers share an installation; maintenance waits for all of them to stop', async () => {
      const { store, installation } = subject();
      const other = await installation.open();
      const release = await store.hold('shared');
      const releaseOther = await other.hold('shared');
      await expect(other.hold('exclusive')).rejects.toThrow(StoreError);
      await expect(store.hold('exclusive')).rejects.toThrow(/a server is using/);
      await release();
      await expect(store.hold('exclusive')).rejects.toThrow(StoreError);
      await releaseOther();
      await (await store.hold('exclusive'))();
      await other.close();
    });

    test('no server starts during maintenance, and no second maintenance either', async () => {
      const { store, installation } = subject();
      const other = await installation.open();
      const release = await store.hold('exclusive');
      const refused = await other.hold('shared').catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(StoreError);
      expect(refused).toMatchObject({
        message: expect.stringContaining('maintenance is in progress'),
        fix: expect.stringMatching(/./),
      });
      await expect(other.hold('exclusive')).rejects.toThrow(StoreError);
      await release();
      await release();
      await (await other.hold('shared'))();
      await other.close();
    });

    test('closing a store ends its holds, and closing twice is harmless', async () => {
      const { store, installation } = subject();
      const other = await installation.open();
      await other.hold('exclusive');
      await other.close();
      await other.close();
      await (await store.hold('exclusive'))();
    });

    test('a hold does not prevent the store from working', async () => {
      const { store } = subject();
      const release = await store.hold('exclusive');
      await store.ping();
      await store.vault.settingOnce({ name: 'during-maintenance', body: '{}' });
      await release();
    });
  });
}
