import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { BackupError } from '../backup/backup-error.ts';
import { type Claims, claimsText, type End, type Header } from '../backup/format.ts';
import { compareWith, type KnownCheckpoint, openGivenCheckpoint } from '../backup/known-checkpoint.ts';
import { readBackup } from '../backup/read-backup.ts';
import { UNFINISHED_SETTING } from '../backup/unfinished.ts';
import { makeDataDirectory, paths } from '../config/paths.ts';
import type { Config } from '../config/settings.ts';
import { systemClock } from '../installation/clock/system-clock.ts';
import { EPOCH_SETTING, type Epoch, epochSetting, nextEpoch } from '../installation/epoch/epoch.ts';
import { epochFile } from '../installation/epoch/epoch-file.ts';
import { storedEpoch } from '../installation/epoch/open-epoch.ts';
import { openOwnCheckpoint } from '../log/checkpoint.ts';
import { checkpointFile, checkpointPaths, type SeenCheckpoint } from '../log/checkpoint-file.ts';
import { installationEntry } from '../log/entry.ts';
import { findLostCommit, lastCommitFile } from '../log/last-commit-file.ts';
import { epochEntry } from '../log/verify-epoch.ts';
import { migrations } from '../store/migrations/migrations.ts';
import { openStore } from '../store/open-store.ts';
import type { CopiedRows, Maintenance, Store } from '../store/store.ts';
import { macsEqual } from '../vault/integrity/integrity.ts';
import { INTEGRITY_KEY_SETTING } from '../vault/integrity/integrity-key.ts';
import { openVaultFor } from '../vault/open-vault-for.ts';
import { requireRootKey } from '../vault/root-key/providers/providers.ts';
import type { Vault } from '../vault/vault.ts';
import { verifyRestored } from './doctor/check-backup.ts';
import type { Finding } from './doctor/finding.ts';

export interface RestoreOptions {
  readonly file: string;
  /** A file with the age identity that decrypts the backup. */
  readonly identityFile?: string;
  /** A file with a checkpoint of the log that was seen elsewhere. */
  readonly checkpointFile?: string;
  /** Restore although data is missing or does not verify. */
  readonly acceptLoss: boolean;
  onProgress?(what: string, done: number, total: number): void;
}

/** A completed restore. */
export interface Restored {
  readonly createdAtMs: number;
  readonly counts: Claims['counts'];
  readonly rows: number;
  readonly leaves: number;
  readonly epoch: { readonly from: number; readonly to: number };
  /** The compared checkpoints, and the number of missing activity steps for each. */
  readonly compared: readonly { readonly from: string; readonly leaves: number; readonly missing: number }[];
  /** Problems that were accepted. */
  readonly accepted: readonly string[];
}

/**
 * Restores a backup into an empty database and starts a new epoch: servers of the earlier one can no longer sign with this database.
 * Nothing is stored unless everything verifies.
 * INVARIANT: a marker is stored first and removed with the rows, so no server starts on an interrupted restore.
 */
export async function restore(config: Config, options: RestoreOptions, system = systemClock): Promise<Restored> {
  requireRootKey(config);
  const { header, end } = await readBackup(options.file, options.identityFile, { onHeader: requireSchema });
  const store = await openStore(config);
  try {
    const release = await store.lockInstallation('exclusive');
    try {
      await requireEmpty(store);
      await store.vault.settingOnce({ name: UNFINISHED_SETTING, body: end.digest });
      return await store
        .maintain((maintenance) => fillAndVerify(config, maintenance, { header, end }, options, system.nowMs()))
        .catch(async (error: unknown) => {
          // Nothing was stored, so the database is as empty as before.
          await store.maintain(({ putSetting }) => putSetting(UNFINISHED_SETTING, undefined));
          throw error;
        });
    } finally {
      await release();
    }
  } finally {
    await store.close();
  }
}

async function requireEmpty(store: Store): Promise<void> {
  if (await store.copy.isEmpty([UNFINISHED_SETTING])) return;
  const { location } = await store.describe();
  throw new BackupError(
    `${location} is not empty, and a restore never replaces anything.`,
    'Choose another --data-dir or an empty database. To restore in place, move the old database first, and keep it.',
  );
}

/** Before the first row is read: another schema may have other columns. */
function requireSchema({ schemaVersion, release }: Header): void {
  const known = migrations.at(-1)?.id ?? 0;
  if (schemaVersion === known) return;
  throw new BackupError(
    `The backup was made by release ${release} with schema ${schemaVersion}, and this release has schema ${known}.`,
    schemaVersion > known
      ? 'Restore it with that release or a newer one.'
      : 'Restore it with the release that made it, then start this one, which migrates the schema.',
  );
}

async function fillAndVerify(
  config: Config,
  maintenance: Maintenance,
  { header, end }: { readonly header: Header; readonly end: End },
  options: RestoreOptions,
  nowMs: number,
): Promise<Restored> {
  const { store, put, putSetting } = maintenance;
  const total = Object.values(end.counts).reduce((sum, count) => sum + count, 0);
  let rows = 0;
  const onRows = async (part: CopiedRows) => {
    await put(part);
    rows += part.rows.length;
    options.onProgress?.('loading', rows, total);
  };
  await readBackup(options.file, options.identityFile, { onRows });
  await maintenance.renumber();
  if ((await store.vault.setting(INTEGRITY_KEY_SETTING)) === undefined)
    throw new BackupError('The backup has no integrity key, so nothing in it can be verified.', 'Use another backup.');
  const vault = await openVaultFor(config, store);
  try {
    requireMac(vault, end);
    const { tree, findings } = await verifyRestored(store, vault, nowMs, (done, of) =>
      options.onProgress?.('verifying', done, of),
    );
    requireCheckpoint(vault, end, tree);
    makeDataDirectory(config);
    const files: SeenFile[] = [];
    for (const path of checkpointPaths(config)) {
      const file = checkpointFile(path, vault.service.logKey);
      files.push({ file, seen: await file.read() });
    }
    const [newest] = files.flatMap(({ seen }) => seen ?? []).sort((one, other) => other.size - one.size);
    const seenEpoch = await epochFile(paths.epochFile(config), vault.integrity).read();
    const compared = await compareAll(store, vault, await knownCheckpoints(vault, newest, options));
    const lost = await findLostCommit(paths.lastCommits(config), store, vault.integrity);
    const accepted = [
      ...compared.flatMap(({ sentence }) => sentence ?? []),
      ...(lost === undefined ? [] : [lost.message]),
      ...findings.map(({ detail }) => detail),
    ];
    if (accepted.length > 0 && !options.acceptLoss) throw lossError(accepted, findings);
    const before = await storedEpoch({ store: store.vault, integrity: vault.integrity });
    const highest = (seenEpoch?.number ?? 0) > (before?.number ?? 0) ? seenEpoch : before;
    const raised = nextEpoch(highest ?? { number: 1, id: '', raisedAtMs: 0 }, nowMs);
    await putSetting(EPOCH_SETTING, epochSetting(vault.integrity, raised).body);
    await putSetting(UNFINISHED_SETTING, undefined);
    await store.log.enqueue(restoredEntry(vault, end, compared, accepted.length > 0, nowMs));
    await store.log.enqueue(epochEntry(vault.integrity, raised, 'RESTORED'));
    // INVARIANT: recorded before the database has it. A crash in between leaves files that match no database, and the marker.
    await writeHighWaterMarks(config, vault, { files, checkpoint: end.checkpoint, raised, nowMs });
    return {
      createdAtMs: header.createdAtMs,
      counts: end.counts,
      rows,
      leaves: tree.size,
      epoch: { from: before?.number ?? 1, to: raised.number },
      compared: compared.map(({ from, leaves, missing }) => ({ from, leaves, missing })),
      accepted,
    };
  } finally {
    vault.close();
  }
}

function requireMac({ integrity }: Vault, end: End): void {
  if (macsEqual(integrity.copy('backup', claimsText(end)), Buffer.from(end.mac, 'base64'))) return;
  throw new BackupError(
    'This installation did not make the backup, or it was changed.',
    'Use another copy, or an earlier backup.',
  );
}

function requireCheckpoint({ service }: Vault, { checkpoint }: End, tree: { size: number; root: Uint8Array }): void {
  const named = checkpoint === null ? undefined : openOwnCheckpoint(service.logKey, checkpoint);
  if ((named?.size ?? 0) === tree.size && (named === undefined || Buffer.compare(named.root, tree.root) === 0)) return;
  throw new BackupError('The log in the backup does not match its checkpoint.', 'Use another backup.');
}

async function knownCheckpoints(
  { service }: Vault,
  seen: SeenCheckpoint | undefined,
  { checkpointFile }: RestoreOptions,
): Promise<readonly KnownCheckpoint[]> {
  const given =
    checkpointFile === undefined
      ? []
      : [openGivenCheckpoint(service.logKey, await readCheckpointFile(checkpointFile), checkpointFile)];
  return seen === undefined ? given : [{ size: seen.size, root: seen.root, from: 'this data directory' }, ...given];
}

async function readCheckpointFile(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new BackupError(`${file} cannot be read: ${cause.code}.`, 'Check --checkpoint.', { cause });
  });
}

interface Compared {
  readonly from: string;
  readonly leaves: number;
  readonly missing: number;
  /** Descriptions of the problems. */
  readonly sentence?: string;
  readonly known: KnownCheckpoint;
}

async function compareAll(store: Store, { integrity }: Vault, known: readonly KnownCheckpoint[]): Promise<readonly Compared[]> {
  const state = await store.log.state();
  const has = state?.size ?? 0;
  const compared: Compared[] = [];
  for (const checkpoint of known) {
    const { from, size } = checkpoint;
    const outcome = await compareWith(store.log, integrity, checkpoint);
    const base = { from, leaves: size, missing: outcome.verdict === 'SHORTER' ? outcome.missing : 0, known: checkpoint };
    if (outcome.verdict === 'COMPLETE') compared.push(base);
    else if (outcome.verdict === 'SHORTER') compared.push({ ...base, sentence: shorter(from, size, has, outcome.missing) });
    else
      compared.push({
        ...base,
        sentence: `the history of the log in this backup differs from the checkpoint of ${count(size)} leaves that ${from} has seen`,
      });
  }
  return compared;
}

const count = (number: number) => number.toLocaleString('en-US');

function shorter(from: string, seen: number, has: number, missing: number): string {
  return `the newest checkpoint that ${from} has seen has ${count(seen)} leaves, and this backup has ${count(has)}: ${count(missing)} activity steps are missing`;
}

function lossError(accepted: readonly string[], findings: readonly Finding[]): BackupError {
  const [first = '', ...others] = accepted;
  const more = others.length === 0 ? '' : `\n${others.map((line) => `- ${line}`).join('\n')}`;
  const fix = findings.length > 0 ? 'Use an earlier backup' : 'Use a newer backup if you have one';
  return new BackupError(
    `${first.charAt(0).toUpperCase()}${first.slice(1)}.${more}`,
    `${fix}. To continue without the missing steps, add --accept-loss: the log will record it.`,
  );
}

/** Records the restore in the log: the backup, and what was known to be missing. */
function restoredEntry({ integrity }: Vault, end: End, compared: readonly Compared[], isLossy: boolean, timeMs: number) {
  const newest = compared.toSorted((a, b) => b.leaves - a.leaves).at(0)?.known;
  return installationEntry(integrity, `restore-${timeMs}`, {
    fingerprint:
      newest === undefined ? 'checkpoint:unknown' : `checkpoint:${newest.size}:${Buffer.from(newest.root).toString('hex')}`,
    type: 'RESTORED',
    status: isLossy ? 'LOSS_ACCEPTED' : 'COMPLETE',
    decisionDigest: end.checkpoint === null ? '' : hash('sha256', end.checkpoint),
    resultDigest: end.digest,
    timeMs,
  });
}

/** A high-water mark file of the log, and the checkpoint in it. */
interface SeenFile {
  readonly file: ReturnType<typeof checkpointFile>;
  readonly seen: SeenCheckpoint | undefined;
}

/** Records checkpoint and epoch in the data directory. The files of the lost database are renamed. */
async function writeHighWaterMarks(
  config: Config,
  { integrity }: Vault,
  { files, checkpoint, raised, nowMs }: { files: readonly SeenFile[]; checkpoint: string | null; raised: Epoch; nowMs: number },
): Promise<void> {
  for (const { file, seen } of files) {
    if (seen !== undefined) await file.setAside(nowMs);
    if (checkpoint !== null) await file.raise({ atMs: nowMs, checkpoint });
  }
  await lastCommitFile(paths.lastCommits(config)).setAside(nowMs);
  await epochFile(paths.epochFile(config), integrity).raise(raised);
}
