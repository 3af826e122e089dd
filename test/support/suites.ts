/** Test files that `npm test` leaves out: they start many processes or try every case. `npm run test:all` runs them too. */
export const slowTests = [
  'test/faults/**/*.test.ts',
  'test/repository/packages/**/*.test.ts',
  'test/repository/docs/{guide-blocks,recipes}.test.ts',
  'test/repository/structure/lockfile.test.ts',
  'test/features/acceptance/{clock,installations,paging,signature-engines}.test.ts',
  'test/features/admission/{floods,large-responses,many-policies,operations,rejected-bodies}.test.ts',
  'test/features/backup/{epoch,interrupted,restore}.test.ts',
  'test/features/catalogue/{activity-types,tenancy}.test.ts',
  'test/features/chains/*.test.ts',
  'test/features/log/{audit,audit-catalogue,audit-mutations,independent-http,put-back,unlogged,witnesses}.test.ts',
  'test/features/sending/{bitcoin-threats,killed,killed-elsewhere,recovery,sponsored-killed}.test.ts',
  'test/features/sign-in/mail-delivery.test.ts',
  'test/features/usage/tampering.test.ts',
  'packages/cli/test/policy-prove*.test.ts',
  'packages/server/test/vault/root-key/rotate-root-key.test.ts',
];

/**
 * The longest of them, which `.ci/run` leaves out: campaigns of faults, and tests that repeat one check very often. `npm run test:slow`
 * runs them too. Shorter tests of the same promises are among the others.
 */
export const longTests = [
  'test/faults/fault/{copied-directory,disk-errors,drain,fail-over,first-run,limits,phases,postgres-outage}.test.ts',
  'test/faults/fault/{rotate,sends,slow-clients,stopped-worker,unlogged,witness}.test.ts',
  'test/faults/torture/short.test.ts',
  'test/features/acceptance/signature-engines.test.ts',
  'test/features/backup/interrupted.test.ts',
  'test/features/sending/{bitcoin-threats,killed,killed-elsewhere,sponsored-killed}.test.ts',
  'test/features/sign-in/mail-delivery.test.ts',
  'packages/cli/test/policy-prove{-fuzz,.property}.test.ts',
  'packages/server/test/vault/root-key/rotate-root-key.test.ts',
];
