import type { Migration } from './migration.ts';

/**
 * Index of activities that did not complete, by status and type. Without it, a listing scanned all activities of a status to find those
 * of a rare type.
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
