import { hash } from 'node:crypto';
import { makeDataDirectory, paths } from '../config/paths.ts';
import type { Config } from '../config/settings.ts';
import type { Epoch } from '../installation/epoch/epoch.ts';
import { epochAltered, epochBehind, epochOfAnotherCopy } from '../installation/epoch/epoch-error.ts';
import { epochFile } from '../installation/epoch/epoch-file.ts';
import { storedEpoch } from '../installation/epoch/open-epoch.ts';
import { checkpointFile, checkpointPaths, type SeenCheckpoint } from '../log/checkpoint-file.ts';
import { findLostCommit } from '../log/find-lost-commit.ts';
import { setNotesAside } from '../log/note-files.ts';
import type { Store } from '../store/store.ts';
import type { Vault } from '../vault/vault.ts';
import { BackupError } from './backup-error.ts';
import type { Claims } from './format.ts';
import { compareWith } from './known-checkpoint.ts';
import { openMarker, type RestoreMarker, UNFINISHED_SETTING } from './unfinished.ts';
import type { Unsent } from './unsent.ts';

/** The report of a restore. */
export interface RestoreReport {
  readonly createdAtMs: number;
  readonly digest: string;
  readonly counts: Claims['counts'];
  readonly rows: number;
  readonly leaves: number;
  readonly epoch: { readonly from: number; readonly to: number };
  /** The compared checkpoints, and the number of missing activity steps for each. */
  readonly compared: readonly { readonly from: string; readonly leaves: number; readonly missing: number }[];
  /** Problems that were accepted. */
  readonly accepted: readonly string[];
  /** Deliveries that were pending in the backup and are not sent. */
  readonly unsent: Readonly<Unsent>;
}

/** The content of a committed marker: a stored restore, and what its remaining steps need. */
export interface CommittedRestore {
  readonly report: RestoreReport;
  readonly restoredAtMs: number;
  readonly epoch: Epoch;
  /** The checkpoint of the backup. */
  readonly checkpoint: string | null;
  /** Digests of the checkpoints in the data directory that were compared. */
  readonly seen: readonly string[];
}

/** A high-water mark file of the log, and the checkpoint in it. */
export interface SeenFile {
  readonly file: ReturnType<typeof checkpointFile>;
  readonly seen: SeenCheckpoint | undefined;
}

/** Reads the high-water mark files of the log. */
export async function readSeenFiles(config: Config, { service }: Vault): Promise<readonly SeenFile[]> {
  const files: SeenFile[] = [];
  for (const path of checkpointPaths(config)) {
    const file = checkpointFile(path, service.logKey);
    files.push({ file, seen: await file.read() });
  }
  return files;
}

/** The digest of a checkpoint in a marker. */
export const digestOf = ({ checkpoint }: Pick<SeenCheckpoint, 'checkpoint'>) => hash('sha256', checkpoint);

/**
 * Updates the data directory after a restore was committed, and removes the marker. The files of the lost database are renamed. Every
 * step is idempotent, so the next run completes an interrupted one.
 * INVARIANT: the epoch is recorded before the high-water marks are renamed. Otherwise entries about the loss could be deleted unnoticed.
 */
export async function finishRestore(
  config: Config,
  store: Store,
  vault: Vault,
  marker: Extract<RestoreMarker, { state: 'COMMITTED' }>,
): Promise<RestoreReport> {
  const committed = openMarker(vault.integrity, marker) as CommittedRestore;
  const { report, restoredAtMs, epoch, checkpoint } = committed;
  const files = await requireCompared(config, store, vault, committed);
  makeDataDirectory(config);
  await epochFile(paths.epochFile(config), vault.integrity).raise(epoch);
  for (const { file, seen } of files) {
    // An interrupted run has replaced this file already.
    if (checkpoint !== null && seen?.checkpoint === checkpoint) continue;
    if (seen !== undefined) await file.setAside(restoredAtMs);
    if (checkpoint !== null) await file.raise({ atMs: restoredAtMs, checkpoint });
  }
  await setNotesAside(config, restoredAtMs);
  await store.maintain(({ putSetting }) => putSetting(UNFINISHED_SETTING, undefined));
  return report;
}

/**
 * Throws unless database and data directory are those of the restore.
 * SECURITY: an attacker with write access to the database can roll it back and insert an earlier marker, and an operator can finish a
 * restore with another data directory. Neither may discard a high-water mark that reveals a loss that was not accepted.
 */
async function requireCompared(
  config: Config,
  store: Store,
  vault: Vault,
  { report, epoch, checkpoint, seen: compared }: CommittedRestore,
): Promise<readonly SeenFile[]> {
  const { integrity } = vault;
  const stored = await storedEpoch({ store: store.vault, integrity });
  if (stored?.number !== epoch.number || stored.id !== epoch.id) throw epochAltered();
  const served = await epochFile(paths.epochFile(config), integrity).read();
  if (served !== undefined && served.number > epoch.number) throw epochBehind(served, stored);
  if (served?.number === epoch.number && served.id !== epoch.id) throw epochOfAnotherCopy(stored);
  const files = await readSeenFiles(config, vault);
  for (const { seen } of files) {
    if (seen === undefined || seen.checkpoint === checkpoint || compared.includes(digestOf(seen))) continue;
    const { verdict } = await compareWith(store.log, integrity, seen);
    if (verdict !== 'COMPLETE') throw notCompared(`has a checkpoint of ${seen.size.toLocaleString('en-US')} leaves`);
  }
  const lost = await findLostCommit(config, store, integrity);
  if (lost !== undefined && !report.accepted.includes(lost.message)) throw notCompared('records a commit');
  return files;
}

function notCompared(what: string): BackupError {
  return new BackupError(
    `This data directory ${what} that the database lacks, and the interrupted restore was not compared with it.`,
    'Finish the restore with the --data-dir and --log-anchor it began with. Otherwise move this database away and restore into an empty one.',
  );
}
