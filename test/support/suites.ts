/** Test files that `npm test` leaves out: they start many processes or try every case. `npm run test:all` runs them too. */
export const slowTests = [
  'test/faults/**/*.test.ts',
  'test/repository/packages/**/*.test.ts',
  'test/repository/docs/{guide-blocks,recipes}.test.ts',
  'test/repository/structure/lockfile.test.ts',
  'test/features/acceptance/{clock,installations,paging,signature-engines}.test.ts',
  'test/features/admission/{floods,large-responses,many-policies,operations}.test.ts',
  'test/features/backup/{epoch,interrupted,restore}.test.ts',
  'test/features/catalogue/{activity-types,tenancy}.test.ts',
  'test/features/log/{audit,audit-catalogue,audit-mutations,independent-http,put-back,unlogged,witnesses}.test.ts',
  'test/features/sign-in/mail-delivery.test.ts',
  'test/features/usage/tampering.test.ts',
  'packages/cli/test/policy-prove*.test.ts',
  'packages/server/test/vault/root-key/rotate-root-key.test.ts',
];
