/** Keys of advisory locks: "CSGN" as a number, then the purpose. Two installations in one database share them. */
export const advisory = Object.freeze({
  migration: '1129531214, 1',
  installation: '1129531214, 2',
  /** The turn to change an organization. Two organizations may share one by chance, which costs time and nothing else. */
  turnOf: (organizationId: string) => `hashtextextended(${organizationId}::text, 1129531214)`,
});
