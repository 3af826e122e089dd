import { bodyOf } from '../../../support/packed-rows.ts';
import type { RawDatabase } from '../../../support/raw-database.ts';
import type { Effect } from './history.ts';

/** An activity as the database holds it. */
export interface StoredActivity {
  readonly id: string;
  readonly status: string;
  readonly revision: number;
  readonly body: string;
}

/** The number of objects of each kind that activities create. */
export type Counts = Readonly<Record<keyof Effect | 'secret' | 'dataKey', number>>;

/** The content of the database, read without the service. */
export interface Stored {
  /** By organization and fingerprint. */
  readonly activities: ReadonlyMap<string, StoredActivity>;
  readonly counts: Counts;
}

export const activityKey = (organizationId: string, fingerprint: string) => `${organizationId} ${fingerprint}`;

const countStatement = `SELECT kind AS what, count(*) AS number FROM resources GROUP BY kind
  UNION ALL SELECT 'user', count(*) FROM records WHERE kind = 'user'
  UNION ALL SELECT 'organization', count(*) FROM organizations
  UNION ALL SELECT 'secret', count(*) FROM secrets
  UNION ALL SELECT 'dataKey', count(*) FROM data_keys`;

export async function readStored(database: RawDatabase): Promise<Stored> {
  const rows = await database.all('SELECT * FROM activities');
  const activities = new Map<string, StoredActivity>();
  for (const row of rows) {
    const { id, status } = row as { id: string; status: string };
    const body = bodyOf(row);
    const key = activityKey(String(row.organization_id), String(row.fingerprint));
    if (activities.has(key)) throw new Error(`two activities are stored for ${key}`);
    activities.set(key, { id, status, body, revision: Number(row.revision) });
  }
  const counts = { organization: 0, user: 0, wallet: 0, walletAccount: 0, privateKey: 0, secret: 0, dataKey: 0 };
  for (const { what, number } of await database.all(countStatement)) counts[what as keyof Counts] = Number(number);
  return { activities, counts };
}
