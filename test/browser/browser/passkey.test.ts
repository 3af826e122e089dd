import { createHash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { PasskeyParams } from '../../features/catalogue/support/passkeys.ts';
import { newApiKey } from '../../support/api-key.ts';
import { type Caller, type Json, resultOf } from '../../support/caller.ts';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { engines } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import {
  createMember,
  createPrivateKey,
  createSubOrganization,
  errorOf,
  signParams,
  subOrganizationParams,
  userParams,
} from '../../support/world.ts';
import { type PageServer, startPageServer } from './page-server.ts';
import { type AuthenticatorKind, PasskeyBrowser, type PasskeyChoice } from './passkey-browser.ts';

interface Holder {
  readonly organizationId: string;
  readonly userId: string;
}

/** Every way to register a passkey in a request stamped by an API key. */
const registrations: Readonly<Record<string, (root: Caller, passkey: PasskeyParams) => Promise<Holder>>> = {
  async create_authenticators(root, passkey) {
    const { userId } = await createMember(root);
    await root.result('createAuthenticators', { userId, authenticators: [passkey] });
    return { organizationId: root.organizationId, userId };
  },
  async create_users(root, passkey) {
    const { userIds } = await root.result('createUsers', { users: [{ ...userParams(), authenticators: [passkey] }] });
    return { organizationId: root.organizationId, userId: userIds[0] };
  },
  async create_sub_organization(root, passkey) {
    const params = subOrganizationParams(newApiKey());
    const rootUsers = params.rootUsers.map((user) => ({ ...user, apiKeys: [], authenticators: [passkey] }));
    const { subOrganizationId, rootUserIds } = await root.result('createSubOrganization', { ...params, rootUsers });
    return { organizationId: subOrganizationId, userId: rootUserIds[0] };
  },
};

interface Kind {
  readonly what: string;
  readonly held: AuthenticatorKind;
  readonly choice: PasskeyChoice;
  readonly shown: { attestationType: string; model: string; transports: string[] };
}

const INTERNAL = { model: 'Passkey', transports: ['AUTHENTICATOR_TRANSPORT_INTERNAL'] };
const USB = { model: 'Security key', transports: ['AUTHENTICATOR_TRANSPORT_USB'] };

const kinds: readonly Kind[] = [
  { what: 'ES256', held: 'platform', choice: {}, shown: { attestationType: 'none', ...INTERNAL } },
  { what: 'RS256', held: 'platform', choice: { algorithm: -257 }, shown: { attestationType: 'none', ...INTERNAL } },
  {
    what: 'ES256 with a certificate',
    held: 'platform',
    choice: { attestation: 'direct' },
    shown: { attestationType: 'basic', ...INTERNAL },
  },
  { what: 'a U2F key', held: 'u2f', choice: {}, shown: { attestationType: 'none', ...USB } },
  {
    what: 'a U2F key with a certificate',
    held: 'u2f',
    choice: { attestation: 'direct' },
    shown: { attestationType: 'basic', ...USB },
  },
];

describe('passkeys in Chromium', () => {
  const closers: (() => Promise<void>)[] = [];
  let [app, other, stranger] = [] as unknown as [PageServer, PageServer, PageServer];
  let service: TestService;
  let root: Caller;
  let browser: PasskeyBrowser;

  beforeAll(async () => {
    const serve = async () => {
      const server = await startPageServer();
      closers.push(server.close);
      return server;
    };
    [app, other, stranger] = [await serve(), await serve(), await serve()];
    const installation = await engines.sqlite();
    closers.push(installation.remove);
    service = await startService(installation, { config: { allowedOrigins: [app.origin, other.origin] } });
    closers.push(service.close);
    root = service.root;
    const chromium = await startChromium();
    closers.push(() => chromium.close());
    browser = await PasskeyBrowser.open(chromium);
  }, CHROMIUM_TIMEOUT_MS);

  afterAll(async () => {
    for (const close of closers.reverse()) await close();
  });

  beforeEach(async () => {
    await browser.plugIn('platform');
    await browser.visit(app.origin);
  });

  /** A sub-organization whose root user has a passkey, beside an API key, and a private key to sign with. */
  async function createCustomer(choice?: PasskeyChoice, held: AuthenticatorKind = 'platform') {
    const { caller, userId, organizationId } = await createSubOrganization(root);
    // A U2F key cannot verify a person.
    const feature = { name: 'FEATURE_NAME_WEBAUTHN_USER_VERIFICATION', value: 'preferred' };
    if (held === 'u2f') await caller.result('setOrganizationFeature', feature);
    const passkey = await browser.create(choice);
    const { authenticatorIds } = await caller.result('createAuthenticators', { userId, authenticators: [passkey] });
    const { credentialId } = passkey.attestation;
    const signWith = await createPrivateKey(caller);
    const storedCounter = async () =>
      (await service.services.organizations.snapshots.current(organizationId))?.authenticators.get(authenticatorIds[0])?.counter;
    return { caller, userId, authenticatorId: authenticatorIds[0], credentialId, signWith, storedCounter };
  }

  const whoamiBody = ({ organizationId }: { organizationId: string }) => JSON.stringify({ organizationId });

  async function whoami(credentialId: string, holder: { organizationId: string }) {
    const body = whoamiBody(holder);
    return browser.send(root.url + root.queryPath('whoami'), body, await browser.stamp(credentialId, body));
  }

  const sign = (body: string, stamp: string) => browser.send(root.url + root.submitPath('signRawPayload'), body, stamp);

  /** The reason for the last refusal, which the service does not tell callers. */
  function lastReason(): Json {
    const lines = service.logText().trim().split('\n');
    return lines.map((line) => JSON.parse(line)).findLast(({ msg }) => msg === 'request refused')?.reason;
  }

  test.each(Object.entries(registrations))('%s registers one, and it identifies its holder', async (_path, register) => {
    const passkey = await browser.create();
    const holder = await register(root, passkey);
    const answer = await whoami(passkey.attestation.credentialId, holder);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect(answer.body.activity.result).toMatchObject(holder);
  });

  test('A24: one that cannot verify a person is refused unless the organization takes it', async () => {
    const { userId, caller } = await createSubOrganization(root);
    await browser.plugIn('u2f');
    const answer = await caller.submit('createAuthenticators', { userId, authenticators: [await browser.create()] });
    expect(errorOf(answer)).toMatchObject({ status: 400, code: 'INVALID_ATTESTATION' });
  });

  test('one that answers another challenge is refused', async () => {
    const { userId, caller } = await createSubOrganization(root);
    const [passkey, { challenge }] = [await browser.create(), await browser.create()];
    const answer = await caller.submit('createAuthenticators', { userId, authenticators: [{ ...passkey, challenge }] });
    expect(errorOf(answer)).toMatchObject({ status: 400, code: 'INVALID_ATTESTATION' });
  });

  test.each(kinds)('$what stamps a signature, and its counter is stored', async ({ held, choice, shown }) => {
    await browser.plugIn(held);
    const { caller, authenticatorId, credentialId, signWith, storedCounter } = await createCustomer(choice, held);
    const { authenticator } = await caller.data('getAuthenticator', { authenticatorId });
    expect(authenticator).toMatchObject({ ...shown, credentialId });
    const { privateKey } = await caller.data('getPrivateKey', { privateKeyId: signWith });

    for (const payload of ['first', 'second']) {
      const before = await storedCounter();
      const body = caller.submitBody('signRawPayload', signParams(signWith, payload));
      const answer = await sign(body, await browser.stamp(credentialId, body));
      const { r, s } = resultOf(answer);
      const digest = createHash('sha256').update(payload).digest();
      const [signature, publicKey] = [Buffer.from(r + s, 'hex'), Buffer.from(privateKey.publicKey, 'hex')];
      expect(secp256k1.verify(signature, digest, publicKey, { prehash: false, lowS: true })).toBe(true);
      expect(await storedCounter()).toBeGreaterThan(before as number);
      expect(await storedCounter()).toBe(await browser.signCount(credentialId));
    }
  });

  test('D20: a stamp may be repeated with its own body only, and an older stamp may not be used again', async () => {
    const { caller, credentialId, signWith } = await createCustomer();
    const newBody = () => caller.submitBody('signRawPayload', signParams(signWith));
    const [held, sent, unstamped] = [newBody(), newBody(), newBody()];
    const heldStamp = await browser.stamp(credentialId, held);
    const sentStamp = await browser.stamp(credentialId, sent);

    const first = await sign(sent, sentStamp);
    expect(first.status, JSON.stringify(first.body)).toBe(200);
    const again = await sign(sent, sentStamp);
    expect([again.status, again.body]).toEqual([200, first.body]);

    const late = await sign(held, heldStamp);
    expect([errorOf(late), lastReason()]).toEqual([{ status: 401, code: 'SIGNATURE_INVALID' }, 'COUNTER_REGRESSED']);
    for (const stamp of [heldStamp, sentStamp]) {
      const moved = await sign(unstamped, stamp);
      expect([errorOf(moved), lastReason()]).toEqual([{ status: 401, code: 'SIGNATURE_INVALID' }, 'WRONG_CHALLENGE']);
    }
  });

  test.each([
    ['update_allowed_origins', (caller: Caller) => caller.result('updateAllowedOrigins', { allowedOrigins: [app.origin] })],
    [
      'set_organization_feature',
      (caller: Caller) => caller.result('setOrganizationFeature', { name: 'FEATURE_NAME_WEBAUTHN_ORIGINS', value: app.origin }),
    ],
  ])('once %s names an origin, another is refused', async (_path, allow) => {
    const { caller, userId, credentialId } = await createCustomer();
    await browser.visit(other.origin);
    expect((await whoami(credentialId, caller)).status).toBe(200);

    await allow(caller);
    expect(errorOf(await whoami(credentialId, caller))).toEqual({ status: 401, code: 'SIGNATURE_INVALID' });
    expect(lastReason()).toBe('WRONG_ORIGIN');
    const registered = await caller.submit('createAuthenticators', { userId, authenticators: [await browser.create()] });
    expect(errorOf(registered)).toMatchObject({ status: 400, code: 'INVALID_ATTESTATION' });

    await browser.visit(app.origin);
    expect((await whoami(credentialId, caller)).status).toBe(200);
  });

  test('the browser blocks a page whose origin the operator did not allow', async () => {
    const { caller, credentialId } = await createCustomer();
    const [url, body] = [root.url + root.queryPath('whoami'), whoamiBody(caller)];
    await browser.visit(stranger.origin);
    const stamp = await browser.stamp(credentialId, body);
    await expect(browser.send(url, body, stamp)).rejects.toThrow('Failed to fetch');
    await browser.visit(app.origin);
    expect((await browser.send(url, body, stamp)).status).toBe(200);
  });
});
