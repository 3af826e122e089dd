import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as client from '@countersign/client';
import { authProxyCondition } from '@countersign/contract';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { ethereumAccount } from '../../support/world.ts';
import { readGuideBlocks } from './guide-blocks.ts';
import { runBlock, type Stage, typeCheck } from './run-block.ts';

// Whole programs are tested with the commands of the guides, and code with the published packages in test/interop.
const elsewhere = ['program', 'published'];
const blocks = readGuideBlocks().filter(
  ({ language, word }) => (language === 'js' || language === 'ts') && !elsewhere.includes(word),
);
const ran = new Set<string>();

/** Runs the block of a guide that has this text. */
function play(file: string, text: string, stage: Stage) {
  const block = blocks.find((each) => each.file === `docs/guide/${file}.md` && each.code.includes(text));
  if (block === undefined) throw new Error(`${file} has no block with ${text}`);
  ran.add(block.code);
  return runBlock(block.code, block.language, stage);
}

/** An unsigned payment of Ethereum (EIP-1559) with the nonce 0. */
const unsignedTransaction = '02e701808080825208940000000000000000000000000000000000000001880de0b6b3a764000080c0';
const ethereum = ethereumAccount(0);

/** Whether two conditions name the same types. */
const sameTypes = (a: string, b: string) =>
  a
    .split(/[[,\]]\s*/)
    .sort()
    .join() ===
  b
    .split(/[[,\]]\s*/)
    .sort()
    .join();

/** A browser's passkeys, by an authenticator in software. */
function credentialsOf(authenticator: SoftwareAuthenticator) {
  return {
    async get({ publicKey }: { publicKey: { challenge: Uint8Array } }) {
      const stamp = authenticator.get(Buffer.from(publicKey.challenge).toString('base64url'));
      const { credentialId, authenticatorData, clientDataJson, signature } = stamp;
      const response = { authenticatorData, clientDataJSON: clientDataJson, signature };
      return { rawId: Buffer.from(credentialId, 'base64url'), response };
    },
  };
}

describeEngines('code in the guides runs', (subject) => {
  const rootClient = () => {
    const { url, first } = subject().service;
    return client.createClient({ baseUrl: url, organizationId: first.organizationId, stamper: new client.ApiKeyStamper(first) });
  };
  const newWallet = async (walletName: string) =>
    client.completed(await rootClient().createWallet({ walletName, accounts: [ethereum] } as never));
  afterEach(() => vi.unstubAllGlobals());

  test('start: a signature', async () => {
    const { walletId } = await newWallet('Start');
    const { result } = await play('start', 'listWalletAccounts', {
      names: { client: rootClient(), walletId },
      gives: ['result'],
    });
    expect(result).toMatchObject({ r: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  test('webhooks: events from a number on', async () => {
    const saved: { sequence: string; next: number }[] = [];
    const save = async ({ sequence }: { sequence: string }, { next }: { next: number }) => void saved.push({ sequence, next });
    await play('webhooks', 'activityEvents', { names: { client: rootClient(), next: 1, save } });
    expect(saved.length).toBeGreaterThan(0);
    expect(saved).toEqual(saved.map((_, at) => ({ sequence: String(at + 1), next: at + 2 })));
  });

  test('exchange: a withdrawal, and the same bytes again', async () => {
    const { addresses } = await newWallet('Hot');
    const names = {
      client: rootClient(),
      resultWhenApproved: client.resultWhenApproved,
      hotWallet: addresses[0],
      unsignedTransaction,
      withdrawal: { createdAtMs: Date.now() },
    };
    const stage = { names, gives: ['signedTransaction', 'submitted'] };
    const first = await play('exchange', 'resultWhenApproved', stage);
    const again = await play('exchange', 'resultWhenApproved', stage);
    expect(first.signedTransaction).toMatch(/^(0x)?02/);
    expect(again).toMatchObject({
      signedTransaction: first.signedTransaction,
      submitted: { activity: { id: first.submitted.activity.id } },
    });
  });

  test('auth proxy: a page reads what the root quorum configured', async () => {
    const { publicKey } = await rootClient().getSignInKey({});
    await play('auth-proxy', 'updateAuthProxyConfig', { names: { client: rootClient(), ethereum } });
    const { url, first } = subject().service;
    const headers = { 'x-auth-proxy-config-id': first.organizationId, origin: 'https://app.example.com' };
    const response = await fetch(`${url}/auth-proxy/v1/wallet_kit_config`, { method: 'POST', headers });
    expect(await response.json()).toMatchObject({ enabledProviders: ['email', 'passkey'], sessionExpirationSeconds: '3600' });
    const { policies } = await rootClient().listPolicies({});
    expect(publicKey).toMatch(/^0[23]/);
    expect(policies.some(({ condition = '' }: { condition?: string }) => sameTypes(condition, authProxyCondition))).toBe(true);
  });

  test('embedded wallets: a passkey, its organization, a signature and a session', async () => {
    const authenticator = new SoftwareAuthenticator();
    let posted = '';
    const application = createServer(async (request, answer) => {
      for await (const chunk of request) posted += chunk;
      answer.end();
    });
    await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve));
    try {
      const challenge = 'a challenge of the application';
      const createPasskey = async () => ({ challenge, attestation: authenticator.create(challenge) });
      const { port } = application.address() as AddressInfo;
      await play('embedded-wallets', 'createPasskey', {
        names: { fetch: (path: string, init: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init) },
        modules: { './your-passkey-form.js': { createPasskey } },
      });
    } finally {
      application.close();
    }
    const { result } = await play('embedded-wallets', 'createSubOrganization', {
      names: { client: rootClient(), ethereum, ...JSON.parse(posted) },
      gives: ['result'],
    });
    const { subOrganizationId, wallet } = result;
    authenticator.counter++;
    vi.stubGlobal('navigator', { credentials: credentialsOf(authenticator) });
    const { url } = subject().service;
    // The page talks to the service of the test, and keeps its session in memory.
    const shelf = new Map<string, CryptoKeyPair>();
    const inMemory = {
      get: async () => shelf.get('key'),
      put: async (pair: CryptoKeyPair) => void shelf.set('key', pair),
      clear: async () => void shelf.delete('key'),
    };
    const page = {
      ...client,
      createClient: (options: Parameters<typeof client.createClient>[0]) => client.createClient({ ...options, baseUrl: url }),
      SessionStamper: { open: () => client.SessionStamper.open(inMemory) },
    };
    const modules = { '@countersign/client': page };
    const { client: own } = await play('embedded-wallets', 'PasskeyStamper', {
      names: { subOrganizationId, address: wallet.addresses[0], unsignedTransaction },
      modules,
      gives: ['client'],
    });
    authenticator.counter++;
    const { session } = await play('embedded-wallets', 'SessionStamper', { names: { client: own }, modules, gives: ['session'] });
    const signedIn = client.createClient({ baseUrl: url, organizationId: subOrganizationId, stamper: session });
    expect(await signedIn.whoami()).toMatchObject({ organizationId: subOrganizationId });
  });
});

describe('code in the guides runs without a service', () => {
  test('webhooks: a delivery is genuine, and another is not', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const body = Buffer.from('{}');
    const timestamp = String(Date.now());
    const signed = Buffer.concat([Buffer.from(`v1.ed25519.key.${timestamp}.event.`), body]);
    const headers = {
      'x-turnkey-signature-key-id': 'key',
      'x-turnkey-timestamp': timestamp,
      'x-turnkey-event-id': 'event',
      'x-turnkey-signature': sign(null, signed, privateKey).toString('hex'),
    };
    const { isGenuine } = await play('webhooks', 'isGenuine', { names: {}, gives: ['isGenuine'] });
    const check = isGenuine as (given: object, content: Buffer, jwk: object) => boolean;
    const jwk = publicKey.export({ format: 'jwk' });
    expect(check(headers, body, jwk)).toBe(true);
    expect(check(headers, Buffer.from('{ }'), jwk)).toBe(false);
    expect(check({ ...headers, 'x-turnkey-timestamp': String(Date.now() - 600_000) }, body, jwk)).toBe(false);
  });

  test('from Turnkey: a service for tests starts and tells where it is', async () => {
    const { compatibleUrl, organizationId } = await play('from-turnkey', "'serve'", {
      names: {},
      gives: ['compatibleUrl', 'organizationId'],
    });
    expect(compatibleUrl).toMatch(/^http.*\/compat\/turnkey$/);
    expect(organizationId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('TypeScript in the guides has no type errors', async () => {
    const imports = "import { type Client, resultWhenApproved } from '@countersign/client';\n";
    const declared: Readonly<Record<string, string>> = {
      'docs/guide/start.md': 'declare const client: Client; declare const walletId: string;',
      'docs/guide/exchange.md':
        'declare const client: Client; declare const hotWallet: string; declare const unsignedTransaction: string; declare const withdrawal: { createdAtMs: number };',
      'docs/guide/webhooks.md':
        'declare const client: Client; declare const next: number; declare function save(event: object, position: { next: number }): Promise<void>;',
      'docs/guide/auth-proxy.md':
        "declare const client: Client; declare const ethereum: NonNullable<Parameters<Client['updateAuthProxyConfig']>[0]['wallet']>['accounts'][number];",
      'docs/guide/embedded-wallets.md':
        "type Root = Parameters<Client['createSubOrganization']>[0]; declare const client: Client; declare const challenge: string; declare const attestation: Root['rootUsers'][number]['authenticators'][number]['attestation']; declare const ethereum: NonNullable<Root['wallet']>['accounts'][number];",
    };
    const typed = blocks.filter(({ language }) => language === 'ts');
    expect(typed.map(({ file }) => file).filter((file) => declared[file] === undefined)).toEqual([]);
    const checked = typed.map(({ file, code }) => ({ declarations: `${imports}${declared[file]}`, code }));
    const [start] = checked.filter(({ code }) => code.includes('hashFunction:'));
    const wrong = { declarations: start?.declarations ?? '', code: start?.code.replace('hashFunction:', 'hashFunktion:') ?? '' };
    const faults = (await typeCheck([...checked, wrong])).split('\n').filter((line) => line.includes('error TS'));
    expect(faults).toEqual([expect.stringMatching(new RegExp(`block-${checked.length}\\.ts.*hashFunktion`))]);
  });

  test('every block of code was run', () => {
    expect(blocks.filter(({ code }) => !ran.has(code)).map(({ file, code }) => `${file}: ${code.slice(0, 60)}`)).toEqual([]);
  });
});
