import { mkdirSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isSignature } from '@countersign/contract';
import { readArchive, writeArchive } from '../backup/archive-file.ts';
import { ARCHIVE_FORMAT, type ArchiveHeader, type LoggedActivity } from '../backup/archive-format.ts';
import { BackupError } from '../backup/backup-error.ts';
import { refuseUnfinished } from '../backup/unfinished.ts';
import type { Config } from '../config/settings.ts';
import { systemClock } from '../installation/clock/system-clock.ts';
import { signCheckpoint } from '../log/checkpoint.ts';
import { contentOf } from '../log/entry.ts';
import { leafVerifier } from '../log/leaves.ts';
import { createLocalTreeState } from '../log/local-tree-state.ts';
import { orAltered } from '../log/log-error.ts';
import { logOrigin } from '../log/open-log.ts';
import type { Tree } from '../log/tree.ts';
import { type ActivityRecord, toActivityRecord } from '../organizations/activities/activity-record.ts';
import { toArchiveRow, toMark, toSpan } from '../organizations/activities/archived.ts';
import { countNext } from '../statistics/count-activities.ts';
import { removeAbandoned } from '../store/durable-file.ts';
import type { ActivityRow, ArchiveSpanRow, LogLeafRow } from '../store/rows.ts';
import type { LockMode, Store } from '../store/store.ts';
import { StoreError } from '../store/store-errors.ts';
import { sealStore } from '../vault/at-rest/sealed-store.ts';
import { openVaultFor } from '../vault/open-vault-for.ts';
import { requireRootKey } from '../vault/root-key/providers/providers.ts';
import type { Integrity, Vault } from '../vault/vault.ts';
import { openStoreAsIs, requireDatabase } from './open-store-as-is.ts';

/** Activities in one file. */
const FILE_ACTIVITIES = 5_000;
const FILE_NAME = /^activities-\w+-\d+\.jsonl\.gz$/;
/** Activities per transaction: few enough not to delay other requests. */
const STEP_ACTIVITIES = 250;
const ORGANIZATIONS_AT_ONCE = 100;
/** Entries that wait for the log while the service works normally are far fewer. */
const MOST_QUEUED = 10_000;
/** Much longer than writing a file takes. */
const ABANDONED_MS = 3_600_000;
/** Far longer than the replay window of a stamped body. SECURITY: an archived body is too old to be executed again. */
const LEAST_AGE_MS = 2 * 24 * 60 * 60 * 1000;

export interface ArchiveOptions {
  /** Activities that ended before this time are moved. */
  readonly beforeMs: number;
  readonly directory: string;
  onProgress?(moved: number): void;
}

/** The moved activities. */
export interface Archived {
  readonly moved: number;
  readonly files: readonly { readonly file: string; readonly activities: number; readonly digest: string }[];
  /** Activities that are old enough but were not moved: without a leaf in the log, nothing would prove them. */
  readonly withoutLeaf: number;
  /** Whether the database file keeps its size, because it is of an earlier release and a service uses it. */
  readonly keepsSize: boolean;
}

/**
 * Moves old completed signatures and their leaves to files. The tiles of the log stay, so that every leaf can be proven from its file.
 * The last leaf of each organization stays too, because it is read with every proof. The service may run. Other activities stay: later audit files
 * need the earlier changes of the organization, and signatures are by far the most numerous. Files of a killed run are used first.
 * INVARIANT: a row is removed only after it was read back from a file that is complete and on disk.
 */
export async function archive(config: Config, options: ArchiveOptions, system = systemClock): Promise<Archived> {
  const nowMs = system.nowMs();
  if (options.beforeMs > nowMs - LEAST_AGE_MS) {
    throw new BackupError(
      'Activities of the last two days stay in the database: their stamped bodies could still be replayed.',
      `Choose an earlier time: --before ${new Date(nowMs - LEAST_AGE_MS).toISOString().slice(0, 10)} or before.`,
    );
  }
  requireDatabase(config);
  requireRootKey(config);
  const store = await openStoreAsIs(config);
  try {
    const release = await store.lockInstallation('shared');
    await refuseUnfinished(store.vault);
    const vault = await openVaultFor(config, store);
    let moved: Omit<Archived, 'keepsSize'>;
    try {
      moved = await moveAll(config, sealStore(store, vault.atRest), vault, options, nowMs);
    } finally {
      vault.close();
      await release();
    }
    return { ...moved, keepsSize: moved.moved > 0 && !(await reclaim(store)) };
  } finally {
    await store.close();
  }
}

/** Returns the space of moved rows. False if the database keeps its size while a service of this installation runs. */
async function reclaim(store: Store): Promise<boolean> {
  const work = async (mode: LockMode) => {
    const release = await store.lockInstallation(mode);
    try {
      return await store.archive.reclaim(mode === 'exclusive');
    } finally {
      await release();
    }
  };
  if (await work('shared')) return true;
  try {
    return await work('exclusive');
  } catch (error) {
    if (error instanceof StoreError) return false;
    throw error;
  }
}

async function moveAll(
  config: Config,
  store: Store,
  vault: Vault,
  options: ArchiveOptions,
  nowMs: number,
): Promise<Omit<Archived, 'keepsSize'>> {
  await requireIntegrated(store, options.beforeMs);
  makeDirectory(options.directory);
  await removeAbandoned(options.directory, ABANDONED_MS);
  const tree = await createLocalTreeState(store.log, vault.integrity).refresh();
  const checkpoint = await signCheckpoint(vault.service, await logOrigin(config, store), tree);
  const files: { file: string; activities: number; digest: string }[] = [];
  const waiting: LoggedActivity[] = [];
  let counted: number | undefined;
  let moved = 0;
  let withoutLeaf = 0;

  async function flush(): Promise<void> {
    if (waiting.length === 0) return;
    const number = String(files.length + 1).padStart(4, '0');
    const name = `activities-${new Date(nowMs).toISOString().replaceAll(/[-:.]/g, '')}-${number}.jsonl.gz`;
    const file = join(options.directory, name);
    const header = { format: ARCHIVE_FORMAT, version: 2, name, createdAtMs: nowMs, beforeMs: options.beforeMs } as const;
    const { digest } = await writeArchive(file, vault.integrity, header, waiting, checkpoint);
    if (!(await moveFrom(store, vault, file, (count) => options.onProgress?.(moved + count)))) throw changedSince(file);
    moved += waiting.length;
    files.push({ file, activities: waiting.length, digest });
    waiting.length = 0;
  }

  for (const { file, activities, digest } of await unusedFiles(store, vault, options.directory)) {
    if (!(await moveFrom(store, vault, file, (count) => options.onProgress?.(moved + count)))) continue;
    moved += activities;
    files.push({ file, activities, digest });
  }

  for await (const rows of endedBefore(store, options.beforeMs)) {
    counted ??= await countAll(store);
    const logged = await withLeaves(store, vault, { tree, counted }, rows, options.beforeMs);
    waiting.push(...logged.activities);
    withoutLeaf += logged.withoutLeaf;
    if (waiting.length >= FILE_ACTIVITIES) await flush();
  }
  await flush();
  return { moved, files, withoutLeaf };
}

/** Statistics count each leaf once, while it is stored. Returns the number of counted leaves. */
async function countAll(store: Store): Promise<number> {
  while (await countNext(store));
  return store.counts.counted();
}

/**
 * Throws if an entry from before the given time is still queued.
 * INVARIANT: every entry from before `beforeMs` of a span is a leaf. So an older entry that appears in the queue later was put back.
 */
async function requireIntegrated(store: Store, beforeMs: number): Promise<void> {
  const queued = await store.log.queued(MOST_QUEUED);
  const old = queued.some(({ body }) => ((JSON.parse(body) as { timeMs?: number }).timeMs ?? 0) < beforeMs);
  if (old || queued.length === MOST_QUEUED)
    throw new BackupError(
      'Old entries wait to become part of the log.',
      'Start a server, and try again when the queue is empty.',
    );
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new BackupError(`${directory} cannot be created.`, 'Choose a writable directory: --to DIR.', { cause });
  }
}

/** Ended activities of all organizations whose ids are older than a time, in parts. Ids begin with the time (RFC 9562, version 7). */
async function* endedBefore(store: Store, beforeMs: number): AsyncGenerator<readonly ActivityRow[]> {
  const time = beforeMs.toString(16).padStart(12, '0');
  const beforeId = `${time.slice(0, 8)}-${time.slice(8)}`;
  for (let lastId = ''; ; ) {
    const ids = await store.organizations.scan(lastId, ORGANIZATIONS_AT_ONCE);
    for (const organizationId of ids) {
      for (let after = ''; ; ) {
        const rows = await store.archive.ended(organizationId, after, beforeId, STEP_ACTIVITIES);
        if (rows.length > 0) yield rows;
        if (rows.length < STEP_ACTIVITIES) break;
        after = rows.at(-1)?.id as string;
      }
    }
    if (ids.length < ORGANIZATIONS_AT_ONCE) return;
    lastId = ids.at(-1) as string;
  }
}

/** The activities that ended in time and match their newest leaf. Throws BackupError for a row that does not verify. */
async function withLeaves(
  store: Store,
  { integrity }: Vault,
  { tree, counted }: { readonly tree: Tree; readonly counted: number },
  rows: readonly ActivityRow[],
  beforeMs: number,
): Promise<{ readonly activities: readonly LoggedActivity[]; readonly withoutLeaf: number }> {
  const ended: { row: ActivityRow; record: ActivityRecord; leaves: readonly LogLeafRow[] }[] = [];
  let withoutLeaf = 0;
  const heads = new Map(
    (await store.log.heads([...new Set(rows.map(({ organizationId }) => organizationId))])).map((head) => [
      head.organizationId,
      head.sequence,
    ]),
  );
  for (const row of rows) {
    const record = toActivityRecord(integrity, row);
    if (record === undefined) throw unsound(row, 'was changed outside the service');
    if (record.updatedAtMs >= beforeMs || !isSignature(record.type)) continue;
    const leaves = await leavesOf(store, row);
    if (leaves === undefined || leaves.some(({ leafIndex }) => leafIndex >= tree.size || leafIndex >= counted)) withoutLeaf++;
    else if (leaves.every(({ sequence }) => sequence < (heads.get(row.organizationId) ?? 0))) ended.push({ row, record, leaves });
  }
  const verify = leafVerifier(store.log, integrity, tree);
  const verified = await orAltered(() => verify(ended.flatMap(({ leaves }) => leaves)));
  const openings = new Map(verified.map((leaf) => [leaf.row, leaf.opening]));
  const activities = ended.map(({ row, record, leaves }): LoggedActivity => {
    const opening = openings.get(leaves.at(-1) as LogLeafRow);
    const says = Object.entries(contentOf(record)).every(([field, value]) => opening?.[field as 'type'] === value);
    if (!says) throw unsound(row, 'does not match the log');
    return { row, leaves };
  });
  return { activities, withoutLeaf };
}

/** The leaves of all revisions of an activity. Undefined if one is missing, for example because the activity is older than the log. */
async function leavesOf(store: Store, { organizationId, id, revision }: ActivityRow): Promise<readonly LogLeafRow[] | undefined> {
  const leaves: LogLeafRow[] = [];
  for (let number = 0; number <= revision; number++) {
    const leaf = await store.log.leafOf(organizationId, id, number);
    if (leaf === undefined) return undefined;
    leaves.push(leaf);
  }
  return leaves;
}

function unsound({ id, organizationId }: ActivityRow, what: string): BackupError {
  return new BackupError(`The activity ${id} of ${organizationId} ${what}. It was not moved.`, "Run 'countersign doctor'.");
}

/** Complete files in the directory that a killed run wrote and moved nothing into. */
async function unusedFiles(store: Store, { integrity }: Vault, directory: string): Promise<Archived['files']> {
  const unused: Archived['files'][number][] = [];
  for (const name of readdirSync(directory).filter((each) => FILE_NAME.test(each))) {
    if ((await store.archive.file(name)) !== undefined) continue;
    const file = join(directory, name);
    try {
      const { header, end } = await readArchive(file, integrity);
      if (header.name === name) unused.push({ file, activities: end.count, digest: end.digest });
    } catch (error) {
      if (!(error instanceof BackupError)) throw error; // damaged, or of another installation
    }
  }
  return unused;
}

/**
 * Deletes the activities of a file in bounded steps, exactly as they were read back. Returns false if an activity has changed in the
 * database since the file was written.
 */
async function moveFrom(store: Store, { integrity }: Vault, file: string, onMoved: (count: number) => void): Promise<boolean> {
  const { header, activities, end } = await readArchive(file, integrity);
  const { name, createdAtMs, beforeMs } = header;
  const directory = dirname(resolve(file));
  const record = toArchiveRow(integrity, name, { createdAtMs, beforeMs, count: end.count, digest: end.digest, directory });
  for (let at = 0; at < activities.length; at += STEP_ACTIVITIES) {
    const step = activities.slice(at, at + STEP_ACTIVITIES);
    const marks = step.map(({ row }) => toMark(integrity, row, name));
    const leaves = step.flatMap((activity) => activity.leaves);
    if (!(await store.archive.move(record, { marks, leaves, spans: spansOf(integrity, header, step) }))) return false;
    onMoved(at + step.length);
  }
  return true;
}

/** One span for each organization whose leaves are in the file. Files of version 1 have none. */
function spansOf(integrity: Integrity, header: ArchiveHeader, activities: readonly LoggedActivity[]): readonly ArchiveSpanRow[] {
  const byOrganization = new Map<string, LoggedActivity[]>();
  for (const activity of activities.filter(({ leaves }) => leaves.length > 0)) {
    const { organizationId } = activity.row;
    byOrganization.set(organizationId, [...(byOrganization.get(organizationId) ?? []), activity]);
  }
  return [...byOrganization.values()].map((own) =>
    toSpan(
      integrity,
      header,
      own.map(({ row }) => row.id),
      own.flatMap(({ leaves }) => leaves),
    ),
  );
}

function changedSince(file: string): BackupError {
  return new BackupError(
    `${file} contains an activity that has changed in the database since it was read.`,
    "Run 'countersign doctor'.",
  );
}
