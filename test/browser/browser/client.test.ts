import { brotliCompressSync } from 'node:zlib';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { engines } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createSubOrganization } from '../../support/world.ts';
import { type PageServer, startPageServer } from './page-server.ts';
import { authenticatorKinds } from './passkey-browser.ts';

const root = new URL('../../..', import.meta.url).pathname;

/** A script for browsers with what is named of the client. It is there as `countersign`. */
async function bundle(names: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: `export { ${names} } from '@countersign/client';`, resolveDir: root },
    bundle: true,
    write: false,
    minify: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'countersign',
    conditions: ['@countersign/source'],
  });
  return outputFiles[0]?.text ?? '';
}

/** What the script leaves on the page. */
declare const countersign: typeof import('@countersign/client');

describe('the client in Chromium', () => {
  const closers: (() => Promise<void>)[] = [];
  let app: PageServer;
  let service: TestService;
  let page: Page;

  beforeAll(async () => {
    app = await startPageServer();
    closers.push(app.close);
    const installation = await engines.sqlite();
    closers.push(installation.remove);
    service = await startService(installation, { config: { allowedOrigins: [app.origin] } });
    closers.push(service.close);
    const chromium = await startChromium();
    closers.push(() => chromium.close());
    page = await chromium.newPage();
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('WebAuthn.enable', { enableUI: false });
    const options = { ...authenticatorKinds.platform, automaticPresenceSimulation: true };
    await devtools.send('WebAuthn.addVirtualAuthenticator', { options });
  }, CHROMIUM_TIMEOUT_MS);

  afterAll(async () => {
    for (const close of closers.reverse()) await close();
  });

  /** A fresh load of the site with the client on it. */
  async function load(): Promise<void> {
    await page.goto(app.origin);
    await page.addScriptTag({ content: await bundle('createClient, PasskeyStamper, SessionStamper') });
  }

  test('a passkey opens a session whose key the page cannot read, and which outlives the page', async () => {
    const { caller, userId, organizationId } = await createSubOrganization(service.root);
    await load();
    const passkey = await page.evaluate(async () => {
      const challenge = crypto.getRandomValues(new Uint8Array(32));
      const made = (await navigator.credentials.create({
        publicKey: {
          rp: { id: 'localhost', name: 'A site' },
          user: { id: new Uint8Array(16), name: 'somebody', displayName: 'Somebody' },
          challenge,
          pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
        },
      })) as PublicKeyCredential;
      return made.toJSON() as RegistrationResponseJSON;
    });
    const { clientDataJSON: clientDataJson, attestationObject } = passkey.response;
    const challenge = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString()).challenge;
    const attestation = {
      credentialId: passkey.rawId,
      clientDataJson,
      attestationObject,
      transports: ['AUTHENTICATOR_TRANSPORT_INTERNAL'],
    };
    const authenticators = [{ authenticatorName: 'Passkey', challenge, attestation }];
    await caller.result('createAuthenticators', { userId, authenticators });

    const at = { baseUrl: service.url, organizationId, credentialId: passkey.rawId };
    const opened = await page.evaluate(async ({ baseUrl, organizationId, credentialId }) => {
      const { createClient, PasskeyStamper, SessionStamper } = countersign;
      const withPasskey = createClient({
        baseUrl,
        organizationId,
        stamper: new PasskeyStamper({ rpId: 'localhost', credentialIds: [credentialId] }),
      });
      const session = await SessionStamper.open();
      await withPasskey.stampLogin({ publicKey: session.publicKey, expirationSeconds: '900' });
      const { userId } = await createClient({ baseUrl, organizationId, stamper: session }).whoami();
      return { userId, publicKey: session.publicKey };
    }, at);
    expect(opened.userId).toBe(userId);

    await load();
    const again = await page.evaluate(async ({ baseUrl, organizationId }) => {
      const { createClient, SessionStamper } = countersign;
      const session = await SessionStamper.open();
      const { userId } = await createClient({ baseUrl, organizationId, stamper: session }).whoami();
      const opening = indexedDB.open('countersign');
      await new Promise((resolve) => {
        opening.onsuccess = resolve;
      });
      const reading = opening.result.transaction('keys').objectStore('keys').get('session');
      await new Promise((resolve) => {
        reading.onsuccess = resolve;
      });
      const { privateKey } = reading.result as CryptoKeyPair;
      const stolen = await crypto.subtle.exportKey('pkcs8', privateKey).catch((error: DOMException) => error.name);
      await session.forget();
      const next = await SessionStamper.open();
      return { userId, publicKey: session.publicKey, stolen, next: next.publicKey };
    }, at);
    expect(again).toMatchObject({ ...opened, stolen: 'InvalidAccessError' });
    expect(again.next).not.toBe(opened.publicKey);
  });

  test.each([
    ['createClient, SessionStamper', 6_000],
    ['createClient, PasskeyStamper, SessionStamper', 8_000],
    ['createClient, ApiKeyStamper', 25_000],
  ])('a page that uses %s loads at most %d bytes of it', async (names, most) => {
    expect(brotliCompressSync(await bundle(names)).length).toBeLessThanOrEqual(most);
  });
});
