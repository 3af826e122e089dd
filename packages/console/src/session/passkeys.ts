import { startAuthentication } from '@simplewebauthn/browser';
import { passkeyDomain } from './api.ts';

/** Bytes in base64url (RFC 4648 section 5) without padding. */
export const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** A challenge of WebAuthn. */
export const randomChallenge = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

/** Bytes of the two ids in a user handle. */
const IDS_LENGTH = 32;
/** Bytes of the random part after them. Older handles have none. */
export const RANDOM_LENGTH = 16;

/** Prompts for any passkey of this site and returns its organization. Undefined for a foreign passkey. */
export async function organizationOfPasskey(): Promise<string | undefined> {
  const { response } = await startAuthentication({
    optionsJSON: { challenge: randomChallenge(), rpId: passkeyDomain(), userVerification: 'preferred' },
  });
  const bytes = atob((response.userHandle ?? '').replaceAll('-', '+').replaceAll('_', '/'));
  if (bytes.length !== IDS_LENGTH && bytes.length !== IDS_LENGTH + RANDOM_LENGTH) return undefined;
  const hex = Array.from(bytes.slice(0, 16), (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
