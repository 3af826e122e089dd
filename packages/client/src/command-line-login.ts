import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';

/** A public key of a program that a person authorizes with their passkey. */
export interface LoginRequest {
  readonly organizationId: string;
  /** Hexadecimal, compressed: the form that `stampLogin` takes. */
  readonly publicKey: string;
}

/** Lifetime of such a key, unless the organization allows less. */
export const LOGIN_SECONDS = '28800';

/** Crockford's base32 has no letters that look like digits. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 12;

/**
 * The code that terminal and browser show for a key, such as `7GQ2-M0XK-9TRA`.
 * SECURITY: D225: 60 bits of a hash of the key. An attacker who swaps the key in a link must find another key with the same code while the
 * person compares it.
 */
export function loginCode({ organizationId, publicKey }: LoginRequest): string {
  const hash = sha256(utf8ToBytes(`countersign login\n${organizationId.toLowerCase()}\n${publicKey.toLowerCase()}`));
  const letters = Array.from(hash.subarray(0, CODE_LENGTH), (byte) => DIGITS[byte & 31]).join('');
  return letters.replace(/.{4}(?=.)/g, '$&-');
}

/** Link to the console page that authorizes the key. The request is in the fragment, which browsers do not send. */
export function loginLink(consoleUrl: string, { organizationId, publicKey }: LoginRequest): string {
  const given = new URLSearchParams({ organization: organizationId, key: publicKey });
  return `${new URL(consoleUrl).href}#/command-line?${given}`;
}

/** Parses a login link. Undefined if it has no P-256 key in the format of `loginLink`. */
export function readLoginRequest(given: Readonly<Record<string, unknown>>): LoginRequest | undefined {
  const { organization: organizationId, key: publicKey } = given;
  if (typeof organizationId !== 'string' || typeof publicKey !== 'string') return undefined;
  if (!/^0[23][0-9a-f]{64}$/.test(publicKey) || !/^[0-9a-f-]{36}$/.test(organizationId)) return undefined;
  return { organizationId, publicKey };
}
