import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDataDirectory } from '../../../../test/support/data-directory.ts';
import { createDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import { openSqliteFile } from '../../../../test/support/sqlite-file.ts';
import { activityListing } from '../../src/store/activity-listing.ts';
import { toCursor } from '../../src/store/cursor.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { withNumberedParameters } from '../../src/store/statement.ts';
import type { ActivityFilter, Store } from '../../src/store/store.ts';
import { activityRow, commitOf, createOrganization } from './rows.ts';

const filters: readonly (readonly [string, ActivityFilter, string])[] = [
  ['one type', { types: ['ACTIVITY_TYPE_A'] }, 'activities_by_type'],
  ['two types', { types: ['ACTIVITY_TYPE_A', 'ACTIVITY_TYPE_B'] }, 'activities_by_type'],
  [
    'completed activities of a type',
    { types: ['ACTIVITY_TYPE_A'], statuses: ['ACTIVITY_STATUS_COMPLETED'] },
    'activities_by_type',
  ],
  ['activities that wait for votes', { statuses: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'] }, 'activities_by_status'],
  [
    'failed activities of a rare type',
    { types: ['ACTIVITY_TYPE_A'], statuses: ['ACTIVITY_STATUS_FAILED'] },
    'activities_by_status_and_type',
  ],
  [
    'failed and rejected activities',
    { statuses: ['ACTIVITY_STATUS_FAILED', 'ACTIVITY_STATUS_REJECTED'] },
    'activities_by_status',
  ],
];

/** The cost of a filtered page must depend on its own size, not on that of the history. */
describe('query plans of filtered listings', () => {
  let directory: string;
  let file: string;
  let database: TestDatabase;
  let organizationId: string;

  async function fill(store: Store): Promise<void> {
    organizationId = await createOrganization(store);
    const batch = Array.from({ length: 3_000 }, (_, index) => {
      const status = index % 500 === 0 ? 'ACTIVITY_STATUS_FAILED' : 'ACTIVITY_STATUS_COMPLETED';
      return commitOf(organizationId, {
        activity: activityRow(organizationId, { type: `ACTIVITY_TYPE_${index % 300 === 0 ? 'A' : 'Z'}`, status }),
      });
    });
    await store.commit(batch);
    await store.close();
  }

  beforeAll(async () => {
    directory = makeDataDirectory('plans');
    file = join(directory, 'countersign.db');
    await fill(await openSqlite({ file }));
    database = await createDatabase();
    await fill(await openPostgres({ url: database.url }));
    await database.query('ANALYZE');
  });
  afterAll(async () => {
    await database?.drop();
    await rm(directory, { recursive: true });
  });

  const shapes = [{ limit: 10 }, { limit: 10, before: 'f' }, { limit: 10, after: '0' }];

  test.each(filters)('SQLite uses an index for %s', (_name, filter, index) => {
    const db = openSqliteFile(file, { readOnly: true });
    for (const page of shapes) {
      const { statement, params } = activityListing(organizationId, filter, toCursor(page)) ?? {
        statement: { sql: '' },
        params: [],
      };
      const steps = db.prepare(`EXPLAIN QUERY PLAN ${statement.sql}`).all(...params) as { readonly detail: string }[];
      const plan = steps.map(({ detail }) => detail).join('\n');
      expect(plan).toContain(index);
      expect(plan).not.toMatch(/SCAN activities/);
    }
    db.close();
  });

  test.each(filters)('PostgreSQL uses an index for %s', async (_name, filter, index) => {
    for (const page of shapes) {
      const { statement, params } = activityListing(organizationId, filter, toCursor(page)) ?? {
        statement: { sql: '' },
        params: [],
      };
      const { rows } = await database.query(`EXPLAIN ${withNumberedParameters(statement.sql)}`, [...params]);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toContain(index);
      expect(plan).not.toContain('Seq Scan');
    }
  });
});
