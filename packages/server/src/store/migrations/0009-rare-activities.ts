import type { Migration } from './migration.ts';

/**
 * Activities that did not complete, by status and type. Such a listing walked along all activities of the status, and found those of a
 * rare type only after many others.
 */
export const rareActivities: Migration = {
  id: 9,
  name: 'rare-activities',
  common: () => [
    `CREATE INDEX IF NOT EXISTS activities_by_status_and_type ON activities (organization_id, status, type, id) WHERE status <> 'ACTIVITY_STATUS_COMPLETED'`,
  ],
  sqlite: [],
  postgres: [],
};
