import type { Migration } from './migration.ts';

/**
 * One body for all endpoints that receive an event. A row of `events` with an empty body refers to it; rows of earlier releases have their
 * own body. INVARIANT: a body is deleted with the last row that refers to it, in the same transaction, whichever process removes that row.
 * `event_drops` counts the events that an endpoint lost.
 */
export const eventBodies: Migration = {
  id: 17,
  name: 'event-bodies',
  common: ({ key, text, integer, heap, clustered }) => [
    `CREATE TABLE event_bodies (
      organization_id ${key}, id ${key}, body ${text},
      PRIMARY KEY (organization_id, id)
    )${heap}`,
    `CREATE TABLE event_drops (
      organization_id ${key}, endpoint_id ${key}, dropped ${integer}, dropped_at_ms ${integer},
      PRIMARY KEY (organization_id, endpoint_id)
    )${clustered}`,
  ],
  sqlite: [
    `CREATE TRIGGER events_drop_body AFTER DELETE ON events BEGIN
      DELETE FROM event_bodies WHERE organization_id = OLD.organization_id AND id = OLD.id
        AND NOT EXISTS (SELECT 1 FROM events WHERE organization_id = OLD.organization_id AND id = OLD.id);
    END`,
  ],
  postgres: [
    // Two processes that remove the last two rows wait for each other, in key order, and the second one then sees that no row is left.
    `CREATE FUNCTION drop_event_bodies() RETURNS trigger LANGUAGE plpgsql AS $drop$
      BEGIN
        PERFORM 1 FROM event_bodies WHERE (organization_id, id) IN (SELECT organization_id, id FROM removed)
          ORDER BY organization_id, id FOR UPDATE;
        DELETE FROM event_bodies WHERE (organization_id, id) IN (SELECT organization_id, id FROM removed)
          AND NOT EXISTS (
            SELECT 1 FROM events WHERE events.organization_id = event_bodies.organization_id AND events.id = event_bodies.id
          );
        RETURN NULL;
      END
    $drop$`,
    `CREATE TRIGGER events_drop_body AFTER DELETE ON events REFERENCING OLD TABLE AS removed
      FOR EACH STATEMENT EXECUTE FUNCTION drop_event_bodies()`,
  ],
};
