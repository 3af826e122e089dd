import { type Activities, type ActivityDefinition, activities, type Queries, queries } from '@countersign/contract';
import { TestIssuer } from '../../packages/server/test/auth/oidc/test-issuer.ts';
import { caseFiles } from '../../test/features/catalogue/cases/index.ts';
import type { CatalogueCases } from '../../test/features/catalogue/support/catalogue-case.ts';
import { mailSettings } from '../../test/features/sign-in/mail-support.ts';
import { trust } from '../../test/features/sign-in/oidc-support.ts';
import { startInbox } from '../../test/features/sign-in/smtp-inbox.ts';
import { activityCases } from '../../test/support/activity-cases.ts';
import { engines } from '../../test/support/installation.ts';
import { type ServiceChoice, startService, type TestService } from '../../test/support/service.ts';
import { createSubOrganization } from '../../test/support/world.ts';
import { examplesText } from '../reference/examples.ts';
import { keepUnchanged } from './comparable.ts';
import { prepareQueries } from './query-fields.ts';
import { type Example, Recorder } from './recorder.ts';
import { signInTrials } from './sign-in-trials.ts';

const catalogue: CatalogueCases = Object.assign({}, ...Object.values(caseFiles));

/** Calls every operation of new services and returns an example of each. An operation without a call is an error. */
export async function recordAll(): Promise<Record<string, Example>> {
  const recorder = new Recorder();
  await withService({ config: { billingTiers: { business: { maxUsers: 500 } } } }, async (service) => {
    await recordOperations(recorder, service);
  });
  await recordSignIn(recorder);
  const missing = [...Object.keys(activities), ...Object.keys(queries)].filter((name) => !recorder.has(name));
  if (missing.length > 0) throw new Error(`nothing calls ${missing.join(', ')}`);
  return recorder.sorted();
}

/** The operations whose recorded example is missing, superfluous, or differs from what the service answers now. */
export async function staleExamples(): Promise<string[]> {
  const earlier: Record<string, Example> = JSON.parse(await examplesText());
  const now = keepUnchanged(earlier, await recordAll());
  return [...new Set([...Object.keys(earlier), ...Object.keys(now)])].filter((name) => now[name] !== earlier[name]);
}

/** Queries run first, so that they show only the objects that were created for them. */
async function recordOperations(recorder: Recorder, service: TestService): Promise<void> {
  const { root: first } = service;
  const { world, fields } = await prepareQueries(service);
  for (const [name, own] of Object.entries(fields)) await recorder.query(first, name as keyof Queries, own);
  for (const [key, { type }] of Object.entries<ActivityDefinition>(activities)) {
    const name = key as keyof Activities;
    const shared = activityCases[name];
    if (shared !== undefined) {
      await recorder.submit(first, name, shared.params(world));
    } else if (catalogue[type]?.succeeds !== undefined) {
      const { caller: root, userId: rootUserId } = await createSubOrganization(first);
      const { caller = root, params } = await catalogue[type].succeeds({ root, rootUserId, first, service });
      await recorder.submit(caller, name, params);
    }
  }
}

/** Uses a separate service: the other cases read mail that this one delivers. */
async function recordSignIn(recorder: Recorder): Promise<void> {
  const inbox = await startInbox();
  const issuer = await TestIssuer.start();
  try {
    await withService(
      { config: { ...mailSettings(inbox), oidcIssuers: [trust(issuer.url)], bindIdentityLinks: false } },
      async ({ root }) => {
        for (const [name, trial] of Object.entries(signInTrials)) {
          const { caller = root, params } = await trial({ root, inbox, issuer });
          await recorder.submit(caller, name as keyof Activities, params);
        }
      },
    );
  } finally {
    await issuer.close();
    await inbox.stop();
  }
}

async function withService(choice: ServiceChoice, use: (service: TestService) => Promise<void>): Promise<void> {
  const installation = await engines.sqlite();
  try {
    const service = await startService(installation, choice);
    try {
      await use(service);
    } finally {
      await service.close();
    }
  } finally {
    await installation.remove();
  }
}
