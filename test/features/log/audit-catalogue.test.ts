import { type activities, activityByType } from '@countersign/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, type Installation } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createSubOrganization } from '../../support/world.ts';
import { caseFiles } from '../catalogue/cases/index.ts';
import type { CatalogueCase } from '../catalogue/support/catalogue-case.ts';
import { exportAudit, logKey, verifyText } from './audit-support.ts';

/** Nobody is left who could ask for the file; and a link that the test writes into the database without an activity. */
const left: readonly string[] = ['ACTIVITY_TYPE_DELETE_ORGANIZATION', 'ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS'];

const rows = Object.values(caseFiles).flatMap((cases) =>
  Object.entries<CatalogueCase>(cases).filter(([type, { succeeds }]) => succeeds !== undefined && !left.includes(type)),
);

/** On one engine: what is in a file does not depend on it, and `audit.test.ts` reads files from both. */
describe('audit files of every activity type', () => {
  let installation: Installation;
  let service: TestService;

  beforeAll(async () => {
    installation = await engines.sqlite();
    service = await startService(installation, { config: { billingTiers: { business: { maxUsers: 500 } } } });
  });
  afterAll(async () => {
    await service?.close();
    await installation?.remove();
  });

  test.each(rows)('%s is explained and authorized again', async (type, found) => {
    const first = service.root.with({ dialect: 'turnkey' });
    const { caller: root, userId: rootUserId } = await createSubOrganization(first);
    const trial = await found.succeeds?.({ root, rootUserId, first, service });
    const caller = trial?.caller ?? root;
    const name = activityByType.get(type)?.definition.name as keyof typeof activities;
    const answer = await caller.submit(name, trial?.params, { type });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    const key = await logKey(service.url);
    // The parent reads its sub-organizations, also where nobody is left in them.
    const readers = [caller, first.with({ organizationId: root.organizationId })];
    for (const reader of caller.organizationId === root.organizationId ? readers.slice(1) : readers) {
      const verdict = await verifyText(await exportAudit(reader), key);
      expect(verdict, JSON.stringify(verdict)).toMatchObject({ ok: true });
    }
  });
});
