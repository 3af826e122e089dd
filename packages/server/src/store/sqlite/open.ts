import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { createCountReaders } from '../activity-counts.ts';
import { createArchiveReaders } from '../archive.ts';
import { createBacklog } from '../backlog.ts';
import { createCopyReaders } from '../copy.ts';
import { createCounters } from '../counters.ts';
import { createEvents } from '../events.ts';
import { createLogReaders } from '../log.ts';
import { createMailEvents } from '../mail-events.ts';
import { refuseNewer, requireCurrent, versionOf } from '../migrations/check-schema.ts';
import type { Migration } from '../migrations/migration.ts';
import { migrations } from '../migrations/migrations.ts';
import { createNotices } from '../notices.ts';
import { createOutbox } from '../outbox.ts';
import { createReaders } from '../readers.ts';
import { createRecodeReaders } from '../recode.ts';
import { createSends } from '../sends.ts';
import { createSessionUses } from '../session-uses.ts';
import type { Read, Row, Statement, Value } from '../statement.ts';
import type { Release, Store, StoreDescription } from '../store.ts';
import { createTermReaders } from '../term-store.ts';
import { createUsage } from '../usage.ts';
import { createMove } from './archive.ts';
import { createCommitBatch, createWriter } from './commit.ts';
import { connect, isDurable } from './connection.ts';
import { maintain, readAll } from './copy.ts';
import { createCountWriters } from './count-writers.ts';
import type { Cell, Database, Statement as Prepared } from './driver.ts';
import { toOpenError } from './errors.ts';
import { lockInstallation, tryNamedLock } from './installation-lock.ts';
import { createLogWriters } from './log-writers.ts';
import { forgetLostWal } from './lost-wal.ts';
import { appliedSteps, migrate } from './migrate.ts';
import { createReclaim } from './reclaim.ts';
import { createRecodeWriters } from './recode.ts';
import { createSendWriters } from './send-writers.ts';
import { createTermWriters } from './term-writers.ts';
import { run } from './transaction.ts';
import { createVaultWriters } from './vault-writers.ts';

export interface SqliteOptions {
  /** The database file. Its directory must exist. */
  readonly file: string;
  /** How long an operation waits for the locks of other processes on the same file. */
  readonly busyTimeoutMs?: number;
  /** Opens the file even if acknowledged commits are missing from its write-ahead log. The log is preserved as evidence. */
  readonly acceptLostWal?: boolean;
  /** False: throws unless the schema is current, and changes nothing. */
  readonly migrate?: boolean;
  /** The target schema. Defaults to all migrations of this release; tests may choose another. */
  readonly migrations?: readonly Migration[];
}

/**
 * Opens a store in a SQLite file. Creates and migrates the file if needed. Several processes may share it.
 * Throws a `StoreError`, and changes nothing, if the file belongs to another program or a newer release, is damaged or is not writable.
 */
export async function openSqlite(options: SqliteOptions): Promise<Store> {
  const file = resolve(options.file);
  const waitMs = options.busyTimeoutMs ?? 10_000;
  try {
    const steps = options.migrations ?? migrations;
    const mayMigrate = options.migrate ?? true;
    const check = (opened: Database) => (mayMigrate ? refuseNewer : requireCurrent)(appliedSteps(opened), steps);
    const db = await connect(file, { waitMs, acceptLostWal: options.acceptLostWal ?? false, check });
    try {
      if (mayMigrate && appliedSteps(db).length === 0) forgetLostWal(file);
      if (mayMigrate) await migrate(db, steps, waitMs);
      return createStore(db, file, waitMs);
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    throw toOpenError(error, file);
  }
}

function createStore(db: Database, file: string, waitMs: number): Store {
  const read = createRead(db, waitMs);
  const readers = createReaders(read, (column) => `hex(${column})`);
  const commitBatch = createCommitBatch(db);
  const ping = db.prepare('SELECT 1 FROM organizations LIMIT 1');
  const releases = new Set<Release>();

  const store: Store = {
    ...readers,
    commit: (batch, fence) => (batch.length === 0 ? Promise.resolve([]) : run(db, waitMs, () => commitBatch(batch, fence))),
    // One process writes at a time, so there are no locked rows to skip.
    outbox: createOutbox(read, ''),
    sends: {
      ...createSends(read),
      ...createSendWriters(
        db,
        () => createWriter(db),
        (work) => run(db, waitMs, work),
      ),
    },
    events: createEvents(read),
    counters: createCounters(read),
    backlog: createBacklog(read),
    usage: createUsage(read),
    notices: createNotices(read),
    mailEvents: createMailEvents(read),
    sessionUses: createSessionUses(read),
    counts: { ...createCountReaders(read), ...createCountWriters(db, (work) => run(db, waitMs, work)) },
    terms: { ...createTermReaders(read), ...createTermWriters(db, (work) => run(db, waitMs, work)) },
    log: {
      ...createLogReaders(read),
      ...createLogWriters(db, (work) => run(db, waitMs, work)),
      // The connection keeps its file open, even if another file takes its name.
      noteSize: () => {},
    },
    archive: {
      ...createArchiveReaders(read),
      move: createMove(db, (work) => run(db, waitMs, work)),
      reclaim: createReclaim(db, (work) => run(db, waitMs, work)),
    },
    copy: { ...createCopyReaders(read), read: () => readAll(file) },
    recode: { ...createRecodeReaders(read), ...createRecodeWriters(db, (work) => run(db, waitMs, work)) },
    // SQLite serializes the commits of all processes on a file.
    withLock: (_organizationId, work) => work(),
    maintain: (work) => maintain(db, () => store, work),
    vault: { ...readers.vault, ...createVaultWriters(db, (work) => run(db, waitMs, work)) },
    async lockInstallation(mode) {
      const release = lockInstallation(file, mode);
      releases.add(release);
      return release;
    },
    async tryNamedLock(name, mode) {
      const release = tryNamedLock(file, name, mode);
      if (release !== undefined) releases.add(release);
      return release;
    },
    describe: () => run(db, waitMs, () => describe(db, file)),
    ping: () => run(db, waitMs, () => void ping.row()),
    async close() {
      await Promise.all([...releases].map((release) => release()));
      if (db.isOpen) db.close();
    },
  };
  return store;
}

/** A prepared statement, and what its rows are built from. */
interface Reader {
  readonly statement: Prepared;
  readonly names: readonly string[];
  readonly empty: Readonly<Record<string, Value>>;
}

function createRead(db: Database, waitMs: number): Read {
  const readers = new Map<string, Reader>();
  const readerOf = ({ sql }: Statement): Reader => {
    const known = readers.get(sql);
    if (known !== undefined) return known;
    const statement = db.prepare(sql);
    const names = statement.columns();
    const reader = { statement, names, empty: Object.fromEntries(names.map((name) => [name, ''])) };
    readers.set(sql, reader);
    return reader;
  };
  return (statement, params) =>
    run(db, waitMs, () => {
      const reader = readerOf(statement);
      return reader.statement.rows(...params).map((values) => toRow(values, reader));
    });
}

function toRow(values: readonly Cell[], { names, empty }: Reader): Row {
  // Filling a copy of an empty row is much faster than adding properties one by one.
  const row = { ...empty };
  for (let at = 0; at < names.length; at++) row[names[at] as string] = values[at] as Value;
  return row;
}

function describe(db: Database, file: string): StoreDescription {
  const pragma = (name: string) => String(db.pragma(name));
  const bytes = (path: string) => String(statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  return {
    engine: 'sqlite',
    engineVersion: String(db.prepare('SELECT sqlite_version()').value()),
    schemaVersion: versionOf(appliedSteps(db)),
    location: file,
    durable: isDurable(db),
    asynchronousStandbys: 0,
    facts: {
      journalMode: pragma('journal_mode'),
      synchronous: pragma('synchronous') === '2' ? 'full' : pragma('synchronous'),
      pageSizeBytes: pragma('page_size'),
      fileBytes: bytes(file),
      logBytes: bytes(`${file}-wal`),
    },
  };
}
