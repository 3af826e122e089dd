/** Keys of advisory locks: "CSGN" as a number, then the purpose. Two installations in one database share them. */
export const advisory = Object.freeze({
  migration: '1129531214, 1',
  installation: '1129531214, 2',
  /** A lock with a name. A hash collision between two names is taken for a conflict. */
  lock: (name: string) => `hashtextextended(${name}::text, 1129531215)`,
  /** Lock on changes to an organization. A hash collision between two organizations only costs time. */
  named: (organizationId: string) => `hashtextextended(${organizationId}::text, 1129531214)`,
});
