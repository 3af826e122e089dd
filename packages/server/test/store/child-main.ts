import { migrations } from '../../src/store/migrations/migrations.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import type { ChildTask } from './child.ts';
import { activityRow, commitOf } from './rows.ts';

const task = JSON.parse(process.argv[2] ?? '{}') as ChildTask;
const isPostgres = task.location.startsWith('postgres');

/** A statement that keeps the engine busy until the process is killed. */
const endless = {
  id: (migrations.at(-1)?.id ?? 0) + 1,
  name: 'endless',
  common: () => ['CREATE TABLE half_done (id INTEGER)'],
  sqlite: ['INSERT INTO half_done WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n'],
  postgres: ['SELECT pg_sleep(600)'],
};

function open(): Promise<Store> {
  const steps = task.endlessMigration === true ? [...migrations, endless] : migrations;
  if (isPostgres) return openPostgres({ url: task.location, migrations: steps });
  return openSqlite({ file: task.location, migrations: steps });
}

if (task.endlessMigration === true) console.log('migrating');
const store = await open();
if (task.lock !== undefined) {
  await store.lockInstallation(task.lock);
  console.log('held');
  setInterval(() => undefined, 1_000);
}
if (task.commitTo !== undefined) {
  const { organizationId, count, bodyLength } = task.commitTo;
  try {
    for (let index = 0; index < count; index += 1) {
      const activity = activityRow(organizationId, { body: 'x'.repeat(bodyLength) });
      const [outcome] = await store.commit([commitOf(organizationId, { activity })]);
      console.log(outcome?.taken === true ? activity.id : JSON.stringify(outcome));
    }
  } catch (error) {
    console.log(`${(error as Error).name}: ${(error as Error).message}`);
  }
  await store.close();
}
