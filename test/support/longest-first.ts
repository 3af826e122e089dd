import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest start first, so that the run does not end with one of them. Vitest orders files by earlier runs, which a
 * fresh clone does not have. Files that start many processes are interleaved with others, because they slow each other down.
 */
const longest = [
  'test/features/admission/operations.test.ts',
  'test/faults/fault/phases.test.ts',
  'test/features/backup/interrupted.test.ts',
  'test/faults/fault/kill-server.test.ts',
  'test/features/acceptance/paging.test.ts',
  'test/repository/docs/recipes.test.ts',
  'test/features/log/witnesses.test.ts',
  'test/faults/fault/first-run.test.ts',
  'test/repository/docs/guide-blocks.test.ts',
  'packages/server/test/vault/root-key/rotate-root-key.test.ts',
  'test/faults/fault/drain.test.ts',
  'test/features/log/audit.test.ts',
  'test/features/backup/restore.test.ts',
  'test/features/acceptance/signature-engines.test.ts',
  'test/faults/fault/witness.test.ts',
  'test/features/log/put-back.test.ts',
  'test/features/catalogue/activity-types.test.ts',
  'test/repository/structure/lockfile.test.ts',
  'test/faults/fault/limits.test.ts',
  'test/features/acceptance/installations.test.ts',
  'test/features/sign-in/mail-delivery.test.ts',
  'test/faults/fault/rotate.test.ts',
  'test/features/acceptance/clock.test.ts',
  'test/features/catalogue/tenancy.test.ts',
  'test/faults/torture/short.test.ts',
  'packages/cli/test/policy-prove.property.test.ts',
  'test/features/backup/epoch.test.ts',
  'test/features/admission/floods.test.ts',
  'test/faults/fault/postgres-outage.test.ts',
  'packages/cli/test/policy-prove.test.ts',
  'test/repository/packages/packages.test.ts',
  'test/faults/fault/fail-over.test.ts',
  'test/features/usage/tampering.test.ts',
  'test/faults/fault/bad-installation.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const missing = longest.filter((path) => !existsSync(join(root, path)));
    if (missing.length > 0) throw new Error(`longest-first.ts names files that do not exist: ${missing.join(', ')}`);
    const place = ({ moduleId }: TestSpecification) => {
      const at = longest.indexOf(relative(root, moduleId));
      return at === -1 ? longest.length : at;
    };
    return (await super.sort(files)).sort((left, right) => place(left) - place(right));
  }
}
