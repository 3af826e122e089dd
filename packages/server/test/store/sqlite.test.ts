import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { describeStore } from './suite/describe-store.ts';

describeStore('sqlite', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'countersign-store-'));
  const file = join(directory, 'countersign.db');
  return {
    open: () => openSqlite({ file }),
    async execute(sql) {
      const db = new Database(file, { timeout: 5_000 });
      try {
        db.exec(sql);
      } finally {
        db.close();
      }
    },
    hex: (digits) => `x'${digits}'`,
    remove: () => rm(directory, { recursive: true }),
  };
});
