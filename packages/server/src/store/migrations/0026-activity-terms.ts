import type { Migration } from './migration.ts';

/**
 * Index for searching activities: in which minutes an organization has activities with a term, such as a counterparty. The state records
 * how many leaves of the log are indexed. The table is empty at first: the service fills it in the background, beginning with the oldest
 * leaf, and searches what is not indexed yet without it.
 */
export const activityTerms: Migration = {
  id: 26,
  name: 'activity-terms',
  common: ({ key, integer, clustered }) => [
    `CREATE TABLE activity_terms (
      organization_id ${key}, term ${key}, minute ${integer},
      PRIMARY KEY (organization_id, term, minute)
    )${clustered}`,
    `CREATE TABLE activity_term_state (
      name ${key} CHECK (name = 'terms'), leaves ${integer},
      PRIMARY KEY (name)
    )${clustered}`,
  ],
  sqlite: [],
  postgres: [],
};
