/** Keys of advisory locks: "CSGN" as a number, then the purpose. Two installations in one database share them. */
export const advisory = Object.freeze({
  migration: '1129531214, 1',
  installation: '1129531214, 2',
});
