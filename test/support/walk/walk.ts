import { TestIssuer } from '../../../packages/server/test/auth/oidc/test-issuer.ts';
import { serveExampleNode } from '../../../scripts/examples/example-node.ts';
import { newOauth2Credential, oidcSettings } from '../../../scripts/examples/sign-in-trials.ts';
import { mailSettings } from '../../features/sign-in/mail-support.ts';
import { startInbox } from '../../features/sign-in/smtp-inbox.ts';
import { missingAnvil } from '../anvil.ts';
import { engines } from '../installation.ts';
import type { RawDatabase } from '../raw-database.ts';
import { type ServiceChoice, startService, type TestService } from '../service.ts';
import { activityTrials, signInRequests, type Walked, walkActivity, walkQueries, walkQuery } from './requests.ts';
import { type WithService, walkBitcoin, walkSending, walkSolana, walkTron } from './sending.ts';
import { worstCases } from './worst-cases.ts';

/** What to walk, and how. */
export interface WalkOptions {
  /** Requests of each form; medians are reported. */
  readonly runs: number;
  progress?(step: string): void;
}

/** Rates are off: only the cost of single requests matters here. */
const rates = { requestsPerAddress: 0, requestsPerCredential: 0, requestsPerOrganization: 0, maxKeptRefusals: 0 };

/** Sends every operation of the contract in several forms, and measures each of them. */
export async function walkOperations({ runs, progress = () => {} }: WalkOptions): Promise<Walked[]> {
  const walked: Walked[] = [];
  const node = await serveExampleNode();
  const chains = { chainEndpoints: [{ chain: 'eip155:1', endpoints: [{ url: node.url }] }], chainNetworks: ['127.0.0.0/8'] };
  const tiers = { billingTiers: { business: { maxUsers: 500 } } };
  await withService({ config: { ...rates, ...tiers, ...chains } }, async (service, raw) => {
    walked.push(...(await walkQueries(raw, service, runs, progress)));
    for (const [name, make] of activityTrials(service)) {
      progress(name);
      walked.push(...(await walkActivity(raw, name, make, runs)));
    }
  });
  await node.close();
  await withService({ config: rates }, async (service, raw) => {
    for (const worst of worstCases) {
      progress(`${worst.operation}, ${worst.form}`);
      walked.push(await worst.measure(service, raw, runs));
    }
  });
  walked.push(...(await walkSignIn(runs, progress)));
  const start: WithService = (config, use) => withService({ config: { ...rates, ...config } }, use);
  progress('sending on Solana');
  walked.push(...(await walkSolana(runs, start)));
  progress('sending on Tron');
  walked.push(...(await walkTron(runs, start)));
  progress('sending on Bitcoin');
  walked.push(...(await walkBitcoin(runs, start)));
  if (missingAnvil === undefined) {
    progress('sending');
    walked.push(...(await walkSending(runs, start)));
  }
  return walked;
}

/** Sign-in needs an inbox that no other case reads, and an issuer. */
async function walkSignIn(runs: number, progress: (step: string) => void): Promise<Walked[]> {
  const walked: Walked[] = [];
  const inbox = await startInbox();
  const issuer = await TestIssuer.start();
  const config = { ...rates, ...mailSettings(inbox), ...oidcSettings(issuer), bindIdentityLinks: false };
  try {
    await withService({ config }, async ({ root }, raw) => {
      for (const [name, make] of signInRequests({ root, inbox, issuer })) {
        progress(name);
        walked.push(...(await walkActivity(raw, name, make, runs)));
      }
      const oauth2CredentialId = await newOauth2Credential({ root, inbox, issuer });
      walked.push(await walkQuery(raw, root, 'getOauth2Credential', { oauth2CredentialId }, runs));
      walked.push(await walkQuery(raw, root, 'listOauth2Credentials', {}, runs));
    });
  } finally {
    await issuer.close();
    await inbox.stop();
  }
  return walked;
}

async function withService(choice: ServiceChoice, use: (service: TestService, raw: RawDatabase) => Promise<void>): Promise<void> {
  const installation = await engines.sqlite();
  try {
    const service = await startService(installation, choice);
    try {
      await use(service, await installation.raw());
    } finally {
      await service.close();
    }
  } finally {
    await installation.remove();
  }
}
