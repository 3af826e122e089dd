import { describe, expect, test } from 'vitest';
import { StoreError } from '../../../src/store/store-errors.ts';
import type { Subject } from './describe-store.ts';

/** Who may use the installation concurrently. */
export function installationLockSuite(subject: () => Subject): void {
  describe('installation lock', () => {
    test('servers share an installation; maintenance waits for all of them to stop', async () => {
      const { store, installation } = subject();
      const other = await installation.open();
      const release = await store.lockInstallation('shared');
      const releaseOther = await other.lockInstallation('shared');
      await expect(other.lockInstallation('exclusive')).rejects.toThrow(StoreError);
      await expect(store.lockInstallation('exclusive')).rejects.toThrow(/a server is using/);
      await release();
      await expect(store.lockInstallation('exclusive')).rejects.toThrow(StoreError);
      await releaseOther();
      await (await store.lockInstallation('exclusive'))();
      await other.close();
    });

    test('no server starts during maintenance, and no second maintenance either', async () => {
      const { store, installation } = subject();
      const other = await installation.open();
      const release = await store.lockInstallation('exclusive');
      const refused = await other.lockInstallation('shared').catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(StoreError);
      expect(refused).toMatchObject({
        message: expect.stringContaining('maintenance is in progress'),
        fix: expect.stringMatching(/./),
      });
      await expect(other.lockInstallation('exclusive')).rejects.toThrow(StoreError);
      await release();
      await release();
      await (await other.lockInstallation('shared'))();
      await other.close();
    });

    test('closing a store releases its locks, and closing twice is harmless', async () => {
      const { store, installation } = subject();
      const other = await installation.open();
      await other.lockInstallation('exclusive');
      await other.close();
      await other.close();
      await (await store.lockInstallation('exclusive'))();
    });

    test('the lock does not prevent the store from working', async () => {
      const { store } = subject();
      const release = await store.lockInstallation('exclusive');
      await store.ping();
      await store.vault.settingOnce({ name: 'during-maintenance', body: '{}' });
      await release();
    });
  });
}
