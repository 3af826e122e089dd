import { hash } from 'node:crypto';
import { BackupError } from '../backup/backup-error.ts';
import { requireCheckpoint, requireMac, requireSchema } from '../backup/check-claims.ts';
import { type Compared, compareAll, knownCheckpoints } from '../backup/compare-checkpoints.ts';
import { type CommittedRestore, digestOf, finishRestore, type RestoreReport, readSeenFiles } from '../backup/finish-restore.ts';
import type { End } from '../backup/format.ts';
import { type CheckedBackup, readBackup } from '../backup/read-backup.ts';
import { committedMarker, loadingMarker, readMarker, UNFINISHED_SETTING } from '../backup/unfinished.ts';
import { withoutPending } from '../backup/unsent.ts';
import { ConfigError } from '../config/config-error.ts';
import { paths } from '../config/paths.ts';
import type { Config } from '../config/settings.ts';
import { systemClock } from '../installation/clock/system-clock.ts';
import { EPOCH_SETTING, epochSetting, nextEpoch } from '../installation/epoch/epoch.ts';
import { EpochError } from '../installation/epoch/epoch-error.ts';
import { epochFile } from '../installation/epoch/epoch-file.ts';
import { storedEpoch } from '../installation/epoch/open-epoch.ts';
import { installationEntry } from '../log/entry.ts';
import { findLostCommit } from '../log/find-lost-commit.ts';
import { resealEntries } from '../log/reseal-entries.ts';
import { epochEntry } from '../log/verify-epoch.ts';
import { openStore } from '../store/open-store.ts';
import type { CopiedRows, Maintenance, Store } from '../store/store.ts';
import { StoreError } from '../store/store-errors.ts';
import { sealStore } from '../vault/at-rest/sealed-store.ts';
import { INTEGRITY_KEY_SETTING } from '../vault/integrity/integrity-key.ts';
import { openVaultFor } from '../vault/open-vault-for.ts';
import { requireRootKey } from '../vault/root-key/providers/providers.ts';
import type { Vault } from '../vault/vault.ts';
import { verifyRestored } from './doctor/check-backup.ts';
import type { Finding } from './doctor/finding.ts';
import { openStoreAsIs } from './open-store-as-is.ts';

export interface RestoreOptions {
  readonly file: string;
  /** A file with the age identity that decrypts the backup. */
  readonly identityFile?: string;
  /** A file with a checkpoint of the log that was seen elsewhere. */
  readonly checkpointFile?: string;
  /** Restore although data is missing or does not verify. */
  readonly acceptLoss: boolean;
  /** Deliver the messages and events that were pending in the backup, although they may have been delivered since. */
  readonly resend?: boolean;
  onProgress?(what: string, done: number, total: number): void;
}

/** A completed restore. */
export interface Restored extends RestoreReport {
  /** Whether an earlier run had stored the backup, and this one only finished it without reading the file. */
  readonly resumed: boolean;
}

/**
 * Restores a backup into an empty database and starts a new epoch: servers of the earlier one can no longer sign with this database.
 * Nothing is stored unless everything verifies.
 * INVARIANT: one transaction stores the rows and the accepted loss, and nothing in the data directory changes before it. So a restore that
 * fails earlier reports the same loss again. No server starts on the database until the data directory is updated.
 */
export async function restore(config: Config, options: RestoreOptions, system = systemClock): Promise<Restored> {
  requireRootKey(config);
  // Read before the database is opened: a mistyped file name must not create or migrate one.
  const backup = (await isStored(config))
    ? undefined
    : await readBackup(options.file, options.identityFile, { onHeader: requireSchema });
  const store = await openStore(config);
  try {
    const release = await store.lockInstallation('exclusive');
    try {
      const resumed = (await readMarker(store.vault))?.state === 'COMMITTED';
      if (!resumed) await load(config, store, backup, options, system.nowMs());
      return { ...(await finish(config, store)), resumed };
    } finally {
      await release();
    }
  } finally {
    await store.close();
  }
}

/** Whether an interrupted run has stored the backup already. Creates nothing. */
async function isStored(config: Config): Promise<boolean> {
  let store: Store;
  try {
    store = await openStoreAsIs(config);
  } catch (error) {
    // No database yet, an empty one, or another schema. Other errors occur again when the database is opened for writing.
    if (error instanceof StoreError || error instanceof ConfigError || error instanceof EpochError) return false;
    throw error;
  }
  try {
    return (await readMarker(store.vault))?.state === 'COMMITTED';
  } finally {
    await store.close();
  }
}

/** Stores a backup in one transaction. Afterwards, the marker names the remaining steps. */
async function load(
  config: Config,
  store: Store,
  backup: CheckedBackup | undefined,
  options: RestoreOptions,
  nowMs: number,
): Promise<void> {
  await requireEmpty(store);
  // A concurrent run finished the restore, and another emptied the database.
  if (backup === undefined) throw new BackupError('The database changed concurrently.', 'Run the command again.');
  await store.vault.settingOnce({ name: UNFINISHED_SETTING, body: loadingMarker(backup.end.digest) });
  try {
    await store.maintain((maintenance) => fillAndVerify(config, maintenance, backup, options, nowMs));
  } catch (error) {
    await removeLoadingMarker(store).catch(() => undefined); // report the first error
    throw error;
  }
}

/** Removes the marker if nothing was stored. A commit can succeed although its response is lost: then the next run finishes it. */
async function removeLoadingMarker(store: Store): Promise<void> {
  await store.maintain(async (maintenance) => {
    const marker = await readMarker(maintenance.store.vault);
    if (marker?.state === 'LOADING') await maintenance.putSetting(UNFINISHED_SETTING, undefined);
  });
}

async function finish(config: Config, store: Store): Promise<RestoreReport> {
  const marker = await readMarker(store.vault);
  if (marker?.state !== 'COMMITTED') throw new Error('a committed restore has left no marker');
  const vault = await openVaultFor(config, store);
  try {
    return await finishRestore(config, sealStore(store, vault.atRest), vault, marker);
  } finally {
    vault.close();
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

async function fillAndVerify(
  config: Config,
  maintenance: Maintenance,
  { header, end }: CheckedBackup,
  options: RestoreOptions,
  nowMs: number,
): Promise<void> {
  const { store: database, put, putSetting } = maintenance;
  const total = Object.values(end.counts).reduce((sum, count) => sum + count, 0);
  const unsent = { messages: 0, events: 0, notices: 0 };
  let rows = 0;
  const onRows = async (part: CopiedRows) => {
    await put(options.resend ? part : withoutPending(part, unsent, nowMs));
    rows += part.rows.length;
    options.onProgress?.('loading', rows, total);
  };
  await readBackup(options.file, options.identityFile, { onRows });
  await maintenance.renumber();
  if ((await database.vault.setting(INTEGRITY_KEY_SETTING)) === undefined)
    throw new BackupError('The backup has no integrity key, so nothing in it can be verified.', 'Use another backup.');
  const vault = await openVaultFor(config, database);
  const store = sealStore(database, vault.atRest);
  try {
    requireMac(vault, end);
    const { tree, findings } = await verifyRestored(store, vault, nowMs, (done, of) =>
      options.onProgress?.('verifying', done, of),
    );
    requireCheckpoint(vault, end, tree);
    const seen = (await readSeenFiles(config, vault)).flatMap((file) => file.seen ?? []);
    const [newest] = seen.toSorted((one, other) => other.size - one.size);
    const seenEpoch = await epochFile(paths.epochFile(config), vault.integrity).read();
    const compared = await compareAll(store, vault, await knownCheckpoints(vault, newest, options));
    const lost = await findLostCommit(config, store, vault.integrity);
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
    await resealEntries(store.log, vault.integrity, before?.number ?? 1, raised.number);
    await store.log.enqueue(restoredEntry(vault, raised.number, end, compared, accepted.length > 0, nowMs));
    await store.log.enqueue(epochEntry(vault.integrity, raised, 'RESTORED'));
    const report: RestoreReport = {
      createdAtMs: header.createdAtMs,
      digest: end.digest,
      counts: end.counts,
      rows,
      leaves: tree.size,
      epoch: { from: before?.number ?? 1, to: raised.number },
      compared: compared.map(({ from, leaves, missing }) => ({ from, leaves, missing })),
      accepted,
      unsent,
    };
    const committed: CommittedRestore = {
      report,
      restoredAtMs: nowMs,
      epoch: raised,
      checkpoint: end.checkpoint,
      seen: seen.map(digestOf),
    };
    await putSetting(UNFINISHED_SETTING, committedMarker(vault.integrity, JSON.stringify(committed)));
  } finally {
    vault.close();
  }
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
function restoredEntry(
  { integrity }: Vault,
  epoch: number,
  end: End,
  compared: readonly Compared[],
  isLossy: boolean,
  timeMs: number,
) {
  const newest = compared.toSorted((a, b) => b.leaves - a.leaves).at(0)?.known;
  return installationEntry(integrity, epoch, `restore-${timeMs}`, {
    fingerprint:
      newest === undefined ? 'checkpoint:unknown' : `checkpoint:${newest.size}:${Buffer.from(newest.root).toString('hex')}`,
    type: 'RESTORED',
    status: isLossy ? 'LOSS_ACCEPTED' : 'COMPLETE',
    decisionDigest: end.checkpoint === null ? '' : hash('sha256', end.checkpoint),
    resultDigest: end.digest,
    timeMs,
  });
}
