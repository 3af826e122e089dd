import type { Migration } from './migration.ts';

/**
 * Latest delivery results of webhook endpoints, for display: when the receiver accepted an event, when it failed and why, and when the
 * next attempt is due. Zero means never. The organization is the owner of the endpoint.
 */
export const eventReceivers: Migration = {
  id: 12,
  name: 'event-receivers',
  common: ({ key, integer, clustered }) => [
    `CREATE TABLE event_receivers (
      organization_id ${key}, endpoint_id ${key}, taken_at_ms ${integer}, failed_at_ms ${integer}, fault ${key}, retry_at_ms ${integer},
      PRIMARY KEY (organization_id, endpoint_id)
    )${clustered}`,
  ],
  sqlite: [],
  postgres: [],
};
