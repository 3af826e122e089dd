import type { Migration } from './migration.ts';

/**
 * The numbered events of endpoints that receive batches: the first number of the current window, and the rows of `events` that have the
 * numbers from it on. A window is stored before it is sent, so a number of a stream always stands for the same event.
 */
export const eventWindows: Migration = {
  id: 20,
  name: 'event-windows',
  common: ({ key, text, integer, clustered }) => [
    `CREATE TABLE event_windows (
      organization_id ${key}, endpoint_id ${key}, stream_id ${key}, first_sequence ${integer}, seqs ${text},
      PRIMARY KEY (organization_id, endpoint_id)
    )${clustered}`,
  ],
  sqlite: [],
  postgres: [],
};
