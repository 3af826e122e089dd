import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { recoverTransactionAddress } from 'viem';
import { build } from 'vite';
import { startIssuer } from '../../interop/support/issuer.js';
import { startMailServer } from '../../interop/support/mail-server.js';
import { startServer } from '../../interop/support/start-server.js';
import { post, submit } from '../../interop/support/submit.js';

const folder = fileURLToPath(new URL('..', import.meta.url));
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
const ACCOUNT = {
  curve: 'CURVE_SECP256K1',
  pathFormat: 'PATH_FORMAT_BIP32',
  path: "m/44'/60'/0'/0/0",
  addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
};
const TYPES = ['INIT_OTP_V3', 'VERIFY_OTP_V2', 'OTP_LOGIN', 'OAUTH_LOGIN', 'CREATE_SUB_ORGANIZATION_V7'];

/** Serves the built page on localhost, where browsers offer passkeys. */
async function startPages() {
  let pages = '';
  const server = createServer(async (request, response) => {
    const path = request.url === undefined || request.url.split('?')[0] === '/' ? '/index.html' : request.url.split('?')[0];
    const content = await readFile(join(pages, path)).catch(() => undefined);
    response.writeHead(content === undefined ? 404 : 200, { 'content-type': types[extname(path)] ?? 'application/octet-stream' });
    response.end(content);
  });
  await new Promise((resolve) => server.listen(0, 'localhost', resolve));
  return {
    origin: `http://localhost:${server.address().port}`,
    show(directory) {
      pages = directory;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Turns the auth proxy on, as docs/guide/auth-proxy.md does. */
async function openAuthProxy(world, origin) {
  const { organizationId, server } = world;
  const { publicKey } = (await post({ server }, '/public/v1/query/get_sign_in_key', { organizationId })).body;
  const apiKeys = [{ apiKeyName: 'Sign-in key', publicKey, curveType: 'API_KEY_CURVE_P256' }];
  const user = { userName: 'Auth proxy', apiKeys, authenticators: [], oauthProviders: [], userTags: [] };
  const { userIds } = await submit(world, 'create_users', 'ACTIVITY_TYPE_CREATE_USERS_V3', { users: [user] });
  await submit(world, 'create_policy', 'ACTIVITY_TYPE_CREATE_POLICY_V3', {
    policyName: 'Auth proxy',
    effect: 'EFFECT_ALLOW',
    condition: `activity.type in [${TYPES.map((type) => `'ACTIVITY_TYPE_${type}'`).join(', ')}]`,
    consensus: `approvers.any(user, user.id == '${userIds[0]}')`,
    notes: '',
  });
  await submit(world, 'update_auth_proxy_config', 'ACTIVITY_TYPE_UPDATE_AUTH_PROXY_CONFIG', {
    allowedOrigins: [origin],
    allowedAuthMethods: ['email', 'passkey', 'oauth'],
    allowSignUp: true,
    wallet: { walletName: 'Wallet', accounts: [ACCOUNT] },
  });
}

describe('the published React components', () => {
  let mail;
  let issuer;
  let pages;
  let server;
  let browser;
  before(async () => {
    [mail, issuer, pages] = await Promise.all([startMailServer(), startIssuer(), startPages()]);
    const env = { ...mail.env, COUNTERSIGN_OIDC_ISSUERS: issuer.trust, COUNTERSIGN_SIGN_INS_PER_ADDRESS: '0' };
    server = await startServer({ env, origins: [pages.origin] });
    const { organizationId } = server.credentials;
    await openAuthProxy({ server, organizationId }, pages.origin);
    Object.assign(process.env, { VITE_COUNTERSIGN_URL: server.url, VITE_ORGANIZATION_ID: organizationId });
    await build({ root: folder, logLevel: 'error' });
    pages.show(join(folder, 'dist'));
    const executablePath = process.env.COUNTERSIGN_CHROMIUM ?? '/usr/bin/chromium';
    browser = await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
    await mail?.close();
    issuer?.close();
    pages?.close();
  });

  /** A visitor with a new profile and a passkey provider. */
  async function visit() {
    const context = await browser.newContext();
    const page = await context.newPage();
    page.on('console', (message) => message.type() === 'error' && console.error(message.text()));
    const devtools = await context.newCDPSession(page);
    await devtools.send('WebAuthn.enable', { enableUI: false });
    const provider = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true };
    const options = { ...provider, isUserVerified: true, automaticPresenceSimulation: true };
    await devtools.send('WebAuthn.addVirtualAuthenticator', { options });
    await page.goto(pages.origin);
    await page.getByText('ready', { exact: false }).first().waitFor({ timeout: 60_000 });
    return page;
  }

  /** Signs a message with the first account, and returns the address that signed. */
  async function sign(page) {
    await page.locator('#address').getByText(/^0x/).waitFor({ timeout: 60_000 });
    return page.evaluate(async () => {
      const [account] = window.turnkey.wallets[0].accounts;
      const { r, s } = await window.turnkey.signMessage({ message: 'hello', walletAccount: account });
      return { address: account.address, isSigned: /^[0-9a-f]{64}$/.test(r) && /^[0-9a-f]{64}$/.test(s) };
    });
  }

  test('a code by email signs up, and later logs in to the same wallet', async () => {
    const contact = 'ann@example.com';
    const addresses = [];
    for (const action of ['SIGNUP', 'LOGIN']) {
      const page = await visit();
      const asked = await page.evaluate((to) => window.turnkey.initOtp({ otpType: 'OTP_TYPE_EMAIL', contact: to }), contact);
      const otpCode = await mail.find(contact, /^[0-9A-Z]{9}$/m);
      const done = await page.evaluate((given) => window.turnkey.completeOtp({ ...given, otpType: 'OTP_TYPE_EMAIL' }), {
        ...asked,
        otpCode,
        contact,
      });
      assert.equal(done.action, action);
      const { address, isSigned } = await sign(page);
      assert.equal(isSigned, true);
      addresses.push(address);
      await page.context().close();
      mail.forget();
    }
    assert.equal(addresses[0], addresses[1]);
  });

  test('a passkey signs up, and a transaction is signed', async () => {
    const page = await visit();
    await page.getByRole('button', { name: 'Sign up with a passkey' }).click();
    const { address, isSigned } = await sign(page);
    assert.equal(isSigned, true);
    await page.getByRole('button', { name: 'Sign a payment' }).click();
    const signed = page.locator('output').getByText(/^(0x)?02/);
    await signed.waitFor({ timeout: 60_000 });
    const text = (await signed.textContent()) ?? '';
    const serializedTransaction = text.startsWith('0x') ? text : `0x${text}`;
    assert.equal(await recoverTransactionAddress({ serializedTransaction }), address);
    await page.context().close();
  });

  test('an account at an issuer signs up and signs', async () => {
    const page = await visit();
    const publicKey = await page.evaluate(() => window.turnkey.createApiKeyPair());
    const oidcToken = issuer.token('person-1', publicKey);
    const done = await page.evaluate((given) => window.turnkey.completeOauth(given), {
      oidcToken,
      publicKey,
      providerName: 'Test',
    });
    assert.equal(done.action, 'SIGNUP');
    assert.equal((await sign(page)).isSigned, true);
    await page.context().close();
  });
});
