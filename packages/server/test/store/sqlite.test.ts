import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDataDirectory } from '../../../../test/support/data-directory.ts';
import { openSqliteFile } from '../../../../test/support/sqlite-file.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { describeStore } from './suite/describe-store.ts';

describeStore('sqlite', async () => {
  const directory = makeDataDirectory('store');
  const file = join(directory, 'countersign.db');
  return {
    open: () => openSqlite({ file }),
    async execute(sql) {
      const db = openSqliteFile(file);
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
