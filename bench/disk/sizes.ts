import { readFileSync, statSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import pg from 'pg';

/** Bytes of each table and index by name, of free pages inside the files, and of the files. */
export interface Sizes {
  readonly parts: ReadonlyMap<string, number>;
  /** Space that the files still have and new rows reuse. */
  readonly free: number;
  readonly files: number;
  /** Rows that are not in the log yet. */
  readonly queued: number;
}

/** How a database is measured. */
export interface Gauge {
  sizes(): Promise<Sizes>;
  /** Bytes written to disk since the start, for SQLite by the process, for PostgreSQL to its write-ahead log. */
  written(): Promise<number>;
  end(): Promise<void>;
}

export function sqliteGauge(file: string, pid: number): Gauge {
  const read = () => new DatabaseSync(file, { readOnly: true });
  return {
    async sizes() {
      const db = read();
      try {
        const rows = db.prepare('SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name').all() as {
          name: string;
          bytes: number;
        }[];
        const pageSize = (db.prepare('PRAGMA page_size').get() as { page_size: number }).page_size;
        const free = (db.prepare('PRAGMA freelist_count').get() as { freelist_count: number }).freelist_count * pageSize;
        const pages = (db.prepare('PRAGMA page_count').get() as { page_count: number }).page_count;
        const { queued } = db.prepare('SELECT count(*) AS queued FROM log_queue').get() as { queued: number };
        const files = Math.max(statSync(file).size, pages * pageSize);
        return { parts: new Map(rows.map(({ name, bytes }) => [name, bytes])), free, files, queued };
      } finally {
        db.close();
      }
    },
    written: async () => Number(/^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]),
    end: async () => undefined,
  };
}

const relations = `SELECT c.relname AS name, pg_relation_size(c.oid) + coalesce(pg_relation_size(nullif(c.reltoastrelid, 0)), 0)
    + pg_relation_size(c.oid, 'fsm') + pg_relation_size(c.oid, 'vm') AS bytes
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' AND c.relkind IN ('r', 'i')`;

export async function postgresGauge(url: string): Promise<Gauge> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    async sizes() {
      // As autovacuum would a little later. It cuts free space at the end of a file, and never moves rows.
      await client.query('VACUUM');
      const { rows } = await client.query(relations);
      const [{ queued }] = (await client.query('SELECT count(*) AS queued FROM log_queue')).rows;
      const parts = new Map(rows.map(({ name, bytes }): [string, number] => [name, Number(bytes)]));
      return { parts, free: 0, files: [...parts.values()].reduce((sum, bytes) => sum + bytes, 0), queued: Number(queued) };
    },
    async written() {
      const [{ bytes }] = (await client.query("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS bytes")).rows;
      return Number(bytes);
    },
    end: () => client.end(),
  };
}
