import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { fromBase64url, toBase64url } from './base64url.ts';
import type { Stamp, Stamper } from './stamper.ts';

export interface PasskeyStamperOptions {
  /** Domain of the passkeys. By default the domain of the page. */
  readonly rpId?: string;
  /** The passkeys to offer, in base64url. The browser offers all of this domain by default. */
  readonly credentialIds?: readonly string[];
  /** `preferred` by default. `required` demands a PIN or biometrics. */
  readonly userVerification?: UserVerificationRequirement;
  /** Timeout for the person. Five minutes by default. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 300_000;

/** Stamps bodies with a passkey: the browser prompts the user each time, and the passkey signs the hash of the body. */
export class PasskeyStamper implements Stamper {
  readonly #options: PasskeyStamperOptions;

  constructor(options: PasskeyStamperOptions = {}) {
    this.#options = options;
  }

  /** The `X-Stamp-Webauthn` header for a body. Rejects with the browser's own error if the person declines. */
  async stamp(body: string): Promise<Stamp> {
    const { rpId, credentialIds, userVerification = 'preferred', timeoutMs = TIMEOUT_MS } = this.#options;
    const publicKey: PublicKeyCredentialRequestOptions = {
      challenge: await challengeOf(body),
      timeout: timeoutMs,
      userVerification,
      ...(rpId !== undefined && { rpId }),
      ...(credentialIds && {
        allowCredentials: credentialIds.map((id) => ({ type: 'public-key' as const, id: fromBase64url(id) })),
      }),
    };
    const made = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential | null;
    if (made === null) throw new Error('The browser returned no passkey.');
    const { authenticatorData, clientDataJSON, signature } = made.response as AuthenticatorAssertionResponse;
    const text = (buffer: ArrayBuffer) => toBase64url(new Uint8Array(buffer));
    const stamp = {
      credentialId: text(made.rawId),
      clientDataJson: text(clientDataJSON),
      authenticatorData: text(authenticatorData),
      signature: text(signature),
    };
    return { stampHeaderName: 'X-Stamp-Webauthn', stampHeaderValue: JSON.stringify(stamp) };
  }
}

/** WebAuthn challenge of a body: its SHA-256 in lower-case hexadecimal, as ASCII. */
async function challengeOf(body: string): Promise<Uint8Array<ArrayBuffer>> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', Uint8Array.from(utf8ToBytes(body))));
  return Uint8Array.from(utf8ToBytes(bytesToHex(digest)));
}
