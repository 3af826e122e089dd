import { claimsText, type End, FORMAT, tablesOfRelease } from '../backup/format.ts';
import { refuseUnfinished } from '../backup/unfinished.ts';
import { writeBackup } from '../backup/write-backup.ts';
import type { Config } from '../config/settings.ts';
import { VERSION } from '../config/version.ts';
import { systemClock } from '../installation/clock/system-clock.ts';
import { EPOCH_SETTING, readEpoch } from '../installation/epoch/epoch.ts';
import { epochAltered } from '../installation/epoch/epoch-error.ts';
import { readStateRow } from '../log/append-position.ts';
import { signCheckpoint } from '../log/checkpoint.ts';
import { logOrigin } from '../log/open-log.ts';
import type { CopiedRows, Store } from '../store/store.ts';
import { logState, settings } from '../store/tables.ts';
import { openVaultFor } from '../vault/open-vault-for.ts';
import { requireRootKey } from '../vault/root-key/providers/providers.ts';
import type { Vault } from '../vault/vault.ts';
import { checkHeads } from './doctor/check-heads.ts';
import type { Finding } from './doctor/finding.ts';
import { openStoreAsIs, requireDatabase } from './open-store-as-is.ts';

/** A completed backup. */
export interface BackedUp extends Omit<End, 'mac'> {
  readonly file: string;
  readonly rows: number;
  /** The number of log leaves in the checkpoint. */
  readonly leaves: number;
  /** Organizations and usage buckets that are not at the newest state in the log. The file contains them as they are. */
  readonly damaged: readonly Finding[];
}

export interface BackupOptions {
  readonly file: string;
  /** Age recipients (`age1…`). Without any, the backup is not encrypted. */
  readonly recipients?: readonly string[];
  onProgress?(done: number, total: number): void;
}

/**
 * Copies a consistent snapshot of an installation, running or not, to one file, and compares all organizations with the log. The root key
 * is not in the file.
 */
export async function backup(config: Config, { file, recipients = [], onProgress }: BackupOptions): Promise<BackedUp> {
  requireDatabase(config);
  requireRootKey(config);
  const store = await openStoreAsIs(config);
  try {
    const release = await store.lockInstallation('shared');
    await refuseUnfinished(store.vault);
    const vault = await openVaultFor(config, store);
    try {
      const written = await write(config, store, vault, { file, recipients, ...(onProgress && { onProgress }) });
      // One damaged organization must not prevent a copy of the others. A restore checks the copy again.
      const damaged = (await checkHeads(store, vault.integrity)).filter(({ ok }) => !ok);
      return { ...written, damaged };
    } finally {
      vault.close();
      await release();
    }
  } finally {
    await store.close();
  }
}

async function write(
  config: Config,
  store: Store,
  { integrity, service }: Vault,
  { file, recipients = [], onProgress }: BackupOptions,
): Promise<Omit<BackedUp, 'damaged'>> {
  const { engine, schemaVersion } = await store.describe();
  const origin = await logOrigin(config, store);
  const total = await store.copy.count();
  let done = 0;
  /** The log and the epoch of the copy: the database may have changed since. */
  const seen: { leaves: number; checkpoint: string | null; epoch: number | null } = { leaves: 0, checkpoint: null, epoch: null };

  async function* watched(): AsyncGenerator<CopiedRows> {
    for await (const part of store.copy.read()) {
      if (part.table === settings) noteEpoch(part);
      if (part.table === logState) await noteLog(part);
      yield part;
    }
  }

  function noteEpoch({ rows }: CopiedRows): void {
    const body = rows.find(([name]) => name === EPOCH_SETTING)?.[1];
    if (typeof body !== 'string') return;
    const epoch = readEpoch(integrity, body);
    if (epoch === undefined) throw epochAltered();
    seen.epoch = epoch.number;
  }

  async function noteLog({ rows: [row] }: CopiedRows): Promise<void> {
    if (row === undefined) return;
    const values = Object.fromEntries(logState.columns.map(({ name }, at) => [name, row[at] as string | number | Uint8Array]));
    const tree = readStateRow(integrity, logState.decode(values));
    seen.leaves = tree.size;
    seen.checkpoint = await signCheckpoint(service, origin, tree);
  }

  const end = await writeBackup(
    file,
    {
      header: {
        format: FORMAT,
        version: 1,
        createdAtMs: systemClock.nowMs(),
        release: VERSION,
        engine,
        schemaVersion,
        tables: tablesOfRelease(),
      },
      rows: watched(),
      async end(counts, digest) {
        const claims = { counts, epoch: seen.epoch, checkpoint: seen.checkpoint, digest };
        return { ...claims, mac: Buffer.from(integrity.copy('backup', claimsText(claims))).toString('base64') };
      },
      onRows(count) {
        done += count;
        onProgress?.(done, Math.max(total, done));
      },
    },
    recipients,
  );
  const { mac: _, ...claims } = end;
  return { file, rows: done, leaves: seen.leaves, ...claims };
}
