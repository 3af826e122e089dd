import type { Migration } from './migration.ts';

/**
 * How deliveries to webhook endpoints went last, for people to read: when the receiver took an event, when it did not and why, and when
 * the next try is due. Zero means never. The organization is the endpoint's own.
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
