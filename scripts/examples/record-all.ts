import { type Activities, type ActivityDefinition, activities, type Queries, queries } from '@countersign/contract';
import { TestIssuer } from '../../packages/server/test/auth/oidc/test-issuer.ts';
import { caseFiles } from '../../test/features/catalogue/cases/index.ts';
import type { CatalogueCases } from '../../test/features/catalogue/support/catalogue-case.ts';
import { bitcoinAccount, bitcoinConfig, bitcoinPayment, serveBitcoin } from '../../test/features/sending/bitcoin-support.ts';
import { fundedSolana, solanaConfig, solPayment } from '../../test/features/sending/solana-support.ts';
import { delegate, fundedAccount, pay, payment, reach, sendingConfig } from '../../test/features/sending/support.ts';
import { fundedTron, serveTron, tronConfig, tronPayment } from '../../test/features/sending/tron-support.ts';
import { mailSettings } from '../../test/features/sign-in/mail-support.ts';
import { startInbox } from '../../test/features/sign-in/smtp-inbox.ts';
import { activityCases } from '../../test/support/activity-cases.ts';
import { missingAnvil, startAnvil } from '../../test/support/anvil.ts';
import { createBitcoinLedger } from '../../test/support/bitcoin-ledger.ts';
import { engines } from '../../test/support/installation.ts';
import { type ServiceChoice, startService, type TestService } from '../../test/support/service.ts';
import { startSolanaNode } from '../../test/support/solana-node.ts';
import { createTronLedger } from '../../test/support/tron-ledger.ts';
import { createSubOrganization } from '../../test/support/world.ts';
import { examplesText } from '../reference/examples.ts';
import { keepUnchanged } from './comparable.ts';
import { serveExampleNode } from './example-node.ts';
import { prepareQueries } from './query-fields.ts';
import { type Example, Recorder } from './recorder.ts';
import { newOauth2Credential, oidcSettings, signInTrials } from './sign-in-trials.ts';

const catalogue: CatalogueCases = Object.assign({}, ...Object.values(caseFiles));

/** These need a node of Ethereum. */
const sendingOperations = [
  'ethSendTransaction',
  'ethReplaceTransaction',
  'ethUndelegate7702',
  'getSendTransactionStatus',
  'listSendTransactions',
];

/** Calls every operation of new services and returns an example of each. An operation without a call is an error. */
export async function recordAll(leaveOut: readonly string[] = []): Promise<Record<string, Example>> {
  const recorder = new Recorder();
  const node = await serveExampleNode();
  const chainSettings = {
    chainEndpoints: [{ chain: 'eip155:1', endpoints: [{ url: node.url }] }],
    chainNetworks: ['127.0.0.0/8'],
  };
  await withService({ config: { ...chainSettings, billingTiers: { business: { maxUsers: 500 } } } }, async (service) => {
    await recordOperations(recorder, service);
  });
  await node.close();
  await recordSignIn(recorder);
  if (!sendingOperations.every((name) => leaveOut.includes(name))) await recordSending(recorder);
  await recordSolana(recorder);
  await recordTron(recorder);
  await recordBitcoin(recorder);
  const missing = [...Object.keys(activities), ...Object.keys(queries)].filter(
    (name) => !recorder.has(name) && !leaveOut.includes(name),
  );
  if (missing.length > 0) throw new Error(`nothing calls ${missing.join(', ')}`);
  return recorder.sorted();
}

/** The operations whose recorded example is missing, superfluous, or differs from what the service answers now. */
export async function staleExamples(): Promise<string[]> {
  const earlier: Record<string, Example> = JSON.parse(await examplesText());
  const leftOut = missingAnvil === undefined ? [] : sendingOperations;
  if (missingAnvil !== undefined) process.stderr.write(`Not compared: ${leftOut.join(', ')} (${missingAnvil}).\n`);
  const now = keepUnchanged(earlier, await recordAll(leftOut));
  const names = new Set([...Object.keys(earlier), ...Object.keys(now)]);
  return [...names].filter((name) => now[name] !== earlier[name] && !leftOut.includes(name));
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

async function recordSending(recorder: Recorder): Promise<void> {
  const anvil = await startAnvil();
  try {
    await withService({ config: sendingConfig([anvil.url]) }, async ({ root }) => {
      const from = await fundedAccount(root, anvil);
      await recorder.submit(root, 'ethSendTransaction', payment(from));
      const sendTransactionStatusId = await pay(root, from);
      await reach(root, sendTransactionStatusId, 'INCLUDED');
      await recorder.query(root, 'getSendTransactionStatus', { sendTransactionStatusId });
      await recorder.query(root, 'listSendTransactions', { address: from, paginationOptions: { limit: '1' } });
      const delegated = await fundedAccount(root, anvil);
      await delegate(root, anvil, delegated);
      await recorder.submit(root, 'ethUndelegate7702', { from: delegated, caip2: payment(from).caip2 });
      await anvil.call('evm_setAutomine', [false]);
      const { caip2 } = payment(from);
      const replaced = { from, caip2, sendTransactionStatusId: await pay(root, from), replacement: 'SPEED_UP' };
      await recorder.submit(root, 'ethReplaceTransaction', replaced);
    });
  } finally {
    await anvil.stop();
  }
}

async function recordSolana(recorder: Recorder): Promise<void> {
  const node = await startSolanaNode();
  try {
    await withService({ config: solanaConfig(node, [node.url]) }, async ({ root }) => {
      await recorder.submit(root, 'solSendTransaction', solPayment(node, await fundedSolana(root, node)));
    });
  } finally {
    await node.close();
  }
}

async function recordTron(recorder: Recorder): Promise<void> {
  const ledger = createTronLedger();
  const server = await serveTron(ledger);
  try {
    await withService({ config: tronConfig(ledger, [server]) }, async ({ root }) => {
      await recorder.submit(root, 'tronSendTransaction', tronPayment(ledger, await fundedTron(root, ledger)));
    });
  } finally {
    await server.close();
  }
}

async function recordBitcoin(recorder: Recorder): Promise<void> {
  const ledger = createBitcoinLedger();
  const server = await serveBitcoin(ledger);
  try {
    await withService({ config: bitcoinConfig(ledger, [server]) }, async ({ root }) => {
      const account = await bitcoinAccount(root, ledger);
      await recorder.submit(root, 'bitcoinSendTransaction', bitcoinPayment(ledger, account));
    });
  } finally {
    await server.close();
  }
}

/** Uses a separate service: the other cases read mail that this one delivers. */
async function recordSignIn(recorder: Recorder): Promise<void> {
  const inbox = await startInbox();
  const issuer = await TestIssuer.start();
  try {
    await withService(
      { config: { ...mailSettings(inbox), ...oidcSettings(issuer), bindIdentityLinks: false } },
      async ({ root }) => {
        for (const [name, trial] of Object.entries(signInTrials)) {
          const { caller = root, params } = await trial({ root, inbox, issuer });
          await recorder.submit(caller, name as keyof Activities, params);
        }
        const { caller } = await createSubOrganization(root);
        const oauth2CredentialId = await newOauth2Credential({ root: caller, inbox, issuer });
        await recorder.query(caller, 'getOauth2Credential', { oauth2CredentialId });
        await recorder.query(caller, 'listOauth2Credentials', {});
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
