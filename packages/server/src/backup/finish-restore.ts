import { hash } from 'node:crypto';
import { makeDataDirectory, paths } from '../config/paths.ts';
import type { Config } from '../config/settings.ts';
import type { Epoch } from '../installation/epoch/epoch.ts';
import { epochAltered, epochBehind, epochOfAnotherCopy } from '../installation/epoch/epoch-error.ts';
import { epochFile } from '../installation/epoch/epoch-file.ts';
import { storedEpoch } from '../installation/epoch/open-epoch.ts';
import { checkpointFile, checkpointPaths, type SeenCheckpoint } from '../log/checkpoint-file.ts';
import { findLostCommit, lastCommitFile } from '../log/last-commit-file.ts';
import type { Store } from '../store/store.ts';
import type { Vault } from '../vault/vault.ts';
import { BackupError } from './backup-error.ts';
import type { Claims } from './format.ts';
import { compareWith } from './known-checkpoint.ts';
import { openMark, type RestoreMark, UNFINISHED_SETTING } from './unfinished.ts';
import type { Unsent } from './unsent.ts';

/** The report of a restore. */
export interface RestoreReport {
  readonly createdAtMs: number;
  readonly digest: string;
  readonly counts: Claims['counts'];
  readonly rows: number;
  readonly leaves: number;
  readonly epoch: { readonly from: number; readonly to: number };
  /** Checkpoints that were compared, and how many activity steps each shows to be missing. */
  readonly compared: readonly { readonly from: string; readonly leaves: number; readonly missing: number }[];
  /** What does not hold, and was accepted. */
  readonly accepted: readonly string[];
  /** Deliveries that were pending in the backup, and are not made. */
  readonly unsent: Readonly<Unsent>;
}

/** What a restore stored, for its last steps. It is in the mark. */
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

/** The digest by which a mark names a checkpoint. */
export const digestOf = ({ checkpoint }: Pick<SeenCheckpoint, 'checkpoint'>) => hash('sha256', checkpoint);

/**
 * Brings the data directory up to a database whose restore was committed, and removes the mark. The files of the lost database are
 * renamed. Every step can be repeated, so that an interrupted run is continued by the next one.
 * INVARIANT: the epoch comes before the high-water marks are renamed. Otherwise entries about the loss could be deleted unnoticed.
 */
export async function finishRestore(
  config: Config,
  store: Store,
  vault: Vault,
  mark: Extract<RestoreMark, { state: 'COMMITTED' }>,
): Promise<RestoreReport> {
  const committed = openMark(vault.integrity, mark) as CommittedRestore;
  const { report, restoredAtMs, epoch, checkpoint } = committed;
  const files = await requireCompared(config, store, vault, committed);
  makeDataDirectory(config);
  await epochFile(paths.epochFile(config), vault.integrity).raise(epoch);
  for (const { file, seen } of files) {
    // A second run must not rename the new checkpoint over the one that was set aside.
    if (checkpoint !== null && seen?.checkpoint === checkpoint) continue;
    if (seen !== undefined) await file.setAside(restoredAtMs);
    if (checkpoint !== null) await file.raise({ atMs: restoredAtMs, checkpoint });
  }
  await lastCommitFile(paths.lastCommits(config)).setAside(restoredAtMs);
  await store.maintain(({ putSetting }) => putSetting(UNFINISHED_SETTING, undefined));
  return report;
}

/**
 * Throws unless database and data directory are those of the restore.
 * SECURITY: an attacker with write access to the database can roll it back and put an earlier mark there, and an operator can finish a
 * restore from another data directory. Neither may set aside a high-water mark that shows a loss nobody accepted.
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
    if (verdict !== 'COMPLETE') throw notCompared(`has seen a checkpoint of ${seen.size.toLocaleString('en-US')} leaves`);
  }
  const lost = await findLostCommit(paths.lastCommits(config), store, integrity);
  if (lost !== undefined && !report.accepted.includes(lost.message)) throw notCompared('names a commit');
  return files;
}

function notCompared(what: string): BackupError {
  return new BackupError(
    `This data directory ${what} that this database lacks, and the interrupted restore was not compared with it.`,
    'Finish the restore with the --data-dir and --log-anchor it began with. Otherwise move this database away and restore into an empty one.',
  );
}
