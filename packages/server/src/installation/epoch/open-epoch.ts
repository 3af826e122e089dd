import { paths } from '../../config/paths.ts';
import type { Config } from '../../config/settings.ts';
import type { SettingRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import type { Integrity } from '../../vault/vault.ts';
import { EPOCH_SETTING, type Epoch, epochSetting, nextEpoch, readEpoch } from './epoch.ts';
import { epochAltered, epochBehind, epochGone, epochOfAnotherCopy, epochUnseen } from './epoch-error.ts';
import { epochFile } from './epoch-file.ts';

/** The epoch of a database, and its setting exactly as it is stored. */
export interface StoredEpoch extends Epoch {
  readonly setting: SettingRow;
}

export interface EpochServices {
  readonly store: Store['vault'];
  readonly integrity: Integrity;
  /** The file with the highest epoch that this data directory has served. */
  readonly file: string;
  /** Whether the database is a file in this data directory, so that no other directory serves it. */
  readonly ownsDatabase: boolean;
}

/** The epoch of the configured installation. */
export function epochServices(config: Config, store: Store, integrity: Integrity): EpochServices {
  return { store: store.vault, integrity, file: paths.epochFile(config), ownsDatabase: config.databaseUrl === undefined };
}

/** The epoch of the database. Undefined if it has none. Throws EpochError for one that this installation did not write. */
export async function storedEpoch({
  store,
  integrity,
}: Pick<EpochServices, 'store' | 'integrity'>): Promise<StoredEpoch | undefined> {
  const setting = await store.setting(EPOCH_SETTING);
  if (setting === undefined) return undefined;
  const epoch = readEpoch(integrity, setting.body);
  if (epoch === undefined) throw epochAltered();
  return { ...epoch, setting };
}

/** Compares the epochs of a database and this data directory. Changes nothing. Throws EpochError if they do not match. */
export async function checkEpoch(services: EpochServices): Promise<{ stored: StoredEpoch | undefined; seen: Epoch | undefined }> {
  const stored = await storedEpoch(services);
  const seen = await epochFile(services.file, services.integrity).read();
  if (stored === undefined) {
    // An epoch above the first is in the database before a server starts on it.
    if (seen !== undefined && seen.number > 1) throw epochGone(seen);
    return { stored, seen };
  }
  if (seen === undefined && services.ownsDatabase) throw epochUnseen(stored, services.file);
  if (seen !== undefined && seen.number > stored.number) throw epochBehind(seen, stored);
  if (seen !== undefined && seen.number === stored.number && seen.id !== stored.id) throw epochOfAnotherCopy(stored);
  return { stored, seen };
}

/**
 * The epoch of this server, recorded in its data directory. A database without an epoch starts its first one here.
 * INVARIANT: for a database in the data directory, the file is written before the setting. So a crash in between does not leave a
 * database that its own directory has not seen.
 */
export async function openEpoch(services: EpochServices, nowMs: number): Promise<StoredEpoch> {
  const { store, integrity, ownsDatabase } = services;
  const mark = epochFile(services.file, integrity);
  const { stored, seen } = await checkEpoch(services);
  if (stored !== undefined) {
    if (seen?.number !== stored.number) await mark.raise(stored);
    return stored;
  }
  const first = seen ?? nextEpoch(undefined, nowMs);
  const recorded = ownsDatabase ? await mark.recordFirst(first) : first;
  const setting = await store.settingOnce(epochSetting(integrity, recorded));
  const epoch = readEpoch(integrity, setting.body);
  if (epoch === undefined) throw epochAltered();
  if (!ownsDatabase) await mark.raise(epoch);
  return { ...epoch, setting };
}
