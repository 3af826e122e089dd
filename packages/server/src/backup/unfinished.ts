import type { Store } from '../store/store.ts';
import { StoreError } from '../store/store-errors.ts';

/** The setting that a restore leaves behind until it has finished. */
export const UNFINISHED_SETTING = 'installation.restoring';

/** Throws StoreError if a restore into this database did not finish: an incomplete database must not become a new installation. */
export async function refuseUnfinished(store: Pick<Store['vault'], 'setting'>): Promise<void> {
  if ((await store.setting(UNFINISHED_SETTING)) === undefined) return;
  throw new StoreError(
    'A restore into this database did not finish, so it is empty.',
    "Run 'countersign restore' again, with the same file or another.",
  );
}
