/** Test files that `npm test` leaves out: they start many processes or try every case. `npm run test:all` runs them too. */
export const slowTests = [
  'test/faults/**/*.test.ts',
  'test/repository/packages/**/*.test.ts',
  'test/repository/docs/guide-blocks.test.ts',
  'test/features/acceptance/paging.test.ts',
  'test/features/backup/*.test.ts',
  'test/features/catalogue/activity-types.test.ts',
  'test/features/catalogue/tenancy.test.ts',
  'test/features/log/{audit,audit-catalogue,witnesses}.test.ts',
  'packages/cli/test/policy-prove.property.test.ts',
  'packages/server/test/vault/rotate-root-key.test.ts',
];
