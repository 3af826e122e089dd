import { randomBytes } from 'node:crypto';
import type { Browser, CDPSession, Page } from 'playwright-core';
import type { PasskeyParams } from '../../features/catalogue/support/passkeys.ts';
import type { Answer, Json } from '../../support/caller.ts';
import { uniqueName } from '../../support/world.ts';

/** The authenticators that Chromium can emulate: one built into the device, and an old security key. */
export const authenticatorKinds = {
  platform: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
  u2f: { protocol: 'u2f', transport: 'usb' },
} as const;

export type AuthenticatorKind = keyof typeof authenticatorKinds;

export interface PasskeyChoice {
  /** A COSE algorithm identifier; ES256 by default. */
  readonly algorithm?: number;
  readonly attestation?: 'none' | 'direct';
}

/** A page in a real browser, and the authenticator that its user holds. */
export class PasskeyBrowser {
  readonly #page: Page;
  readonly #devtools: CDPSession;
  #authenticatorId: string | undefined;

  private constructor(page: Page, devtools: CDPSession) {
    this.#page = page;
    this.#devtools = devtools;
  }

  static async open(browser: Browser): Promise<PasskeyBrowser> {
    const page = await browser.newPage();
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('WebAuthn.enable', { enableUI: false });
    return new PasskeyBrowser(page, devtools);
  }

  /** Replaces the authenticator. Its user is always present and consents. */
  async plugIn(kind: AuthenticatorKind): Promise<void> {
    if (this.#authenticatorId !== undefined) {
      await this.#devtools.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId: this.#authenticatorId });
    }
    const options = { ...authenticatorKinds[kind], automaticPresenceSimulation: true };
    const { authenticatorId } = await this.#devtools.send('WebAuthn.addVirtualAuthenticator', { options });
    this.#authenticatorId = authenticatorId;
  }

  async visit(origin: string): Promise<void> {
    await this.#page.goto(origin);
  }

  /** Creates a passkey on the page, in the form that parameters have. */
  async create({ algorithm = -7, attestation = 'none' }: PasskeyChoice = {}): Promise<PasskeyParams> {
    const challenge = randomBytes(32).toString('base64url');
    const options: PublicKeyCredentialCreationOptionsJSON = {
      rp: { id: 'localhost', name: 'A site with passkeys' },
      user: { id: randomBytes(16).toString('base64url'), name: 'somebody', displayName: 'Somebody' },
      challenge,
      pubKeyCredParams: [{ type: 'public-key', alg: algorithm }],
      attestation,
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    };
    const made = await this.#page.evaluate(createInPage, options);
    const { clientDataJSON: clientDataJson, attestationObject, transports } = made.response;
    return {
      authenticatorName: uniqueName('Passkey'),
      challenge,
      attestation: {
        credentialId: made.rawId,
        clientDataJson,
        attestationObject,
        transports: transports.map((transport: string) => `AUTHENTICATOR_TRANSPORT_${transport.toUpperCase()}`),
      },
    };
  }

  /** The `X-Stamp-Webauthn` header for a body, made on the page. */
  stamp(credentialId: string, body: string): Promise<string> {
    return this.#page.evaluate(stampInPage, { credentialId, body });
  }

  /** Sends a body from the page, as its script would. Rejects if the browser hides the answer from the page. */
  async send(url: string, body: string, stamp: string): Promise<Answer> {
    const { headers, ...answer } = await this.#page.evaluate(sendInPage, { url, body, stamp });
    return { ...answer, headers: new Headers(headers) };
  }

  /** The authenticator's own counter. */
  async signCount(credentialId: string): Promise<number> {
    const { credential } = await this.#devtools.send('WebAuthn.getCredential', {
      authenticatorId: this.#authenticatorId as string,
      credentialId: Buffer.from(credentialId, 'base64url').toString('base64'),
    });
    return credential.signCount;
  }
}

// The functions below run in the page. They are sent there as text and cannot use this module.

async function createInPage(options: PublicKeyCredentialCreationOptionsJSON): Promise<Json> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
  return credential.toJSON();
}

async function stampInPage({ credentialId, body }: { credentialId: string; body: string }): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body)));
  const digestHex = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({
    // Hexadecimal text has neither + nor / in base64.
    challenge: btoa(digestHex).replaceAll('=', ''),
    rpId: 'localhost',
    allowCredentials: [{ type: 'public-key', id: credentialId }],
    userVerification: 'preferred',
  });
  const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
  const { rawId, response } = credential.toJSON() as AuthenticationResponseJSON;
  const { authenticatorData, clientDataJSON: clientDataJson, signature } = response;
  return JSON.stringify({ credentialId: rawId, authenticatorData, clientDataJson, signature });
}

async function sendInPage({ url, body, stamp }: { url: string; body: string; stamp: string }) {
  const headers = { 'content-type': 'application/json', 'x-stamp-webauthn': stamp };
  const response = await fetch(url, { method: 'POST', headers, body });
  const readable: [string, string][] = [];
  response.headers.forEach((value, name) => {
    readable.push([name, value]);
  });
  return { status: response.status, body: await response.json(), headers: readable };
}
