import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest, so that none of them begins when the rest is done: Vitest knows that only of runs before, and a fresh
 * clone has none. Files that start many processes stand between others, because they slow each other down.
 */
const longest = [
  'test/fault/kill-server.test.ts',
  'test/acceptance/paging.test.ts',
  'test/log/witnesses.test.ts',
  'test/fault/first-run.test.ts',
  'test/docs/guide-blocks.test.ts',
  'packages/server/test/vault/rotate-root-key.test.ts',
  'test/fault/drain.test.ts',
  'test/log/audit.test.ts',
  'test/backup/restore.test.ts',
  'test/fault/witness.test.ts',
  'test/log/put-back.test.ts',
  'test/catalogue/activity-types.test.ts',
  'test/fault/limits.test.ts',
  'test/acceptance/installations.test.ts',
  'test/sign-in/mail-delivery.test.ts',
  'test/fault/rotate.test.ts',
  'test/acceptance/clock.test.ts',
  'test/catalogue/tenancy.test.ts',
  'test/torture/short.test.ts',
  'packages/cli/test/policy-prove.property.test.ts',
  'test/backup/epoch.test.ts',
  'test/fault/postgres-outage.test.ts',
  'packages/cli/test/policy-prove.test.ts',
  'test/packages/packages.test.ts',
  'test/fault/fail-over.test.ts',
  'test/usage/tampering.test.ts',
  'test/fault/bad-installation.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const gone = longest.filter((path) => !existsSync(join(root, path)));
    if (gone.length > 0) throw new Error(`longest-first.ts names files that are gone: ${gone.join(', ')}`);
    const place = ({ moduleId }: TestSpecification) => {
      const at = longest.indexOf(relative(root, moduleId));
      return at === -1 ? longest.length : at;
    };
    return (await super.sort(files)).sort((left, right) => place(left) - place(right));
  }
}
