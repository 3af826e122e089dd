import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';

/** A key that a program made and that a person lets in with their passkey. Nothing of it is secret. */
export interface LoginRequest {
  readonly organizationId: string;
  /** Hexadecimal, compressed: the form that `stampLogin` takes. */
  readonly publicKey: string;
}

/** How long such a key is good for, unless the organization allows less. A working day. */
export const LOGIN_SECONDS = '28800';

/** Crockford's base32 has no letters that look like digits. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 12;

/**
 * The code that terminal and browser show for a key, such as `7GQ2-M0XK-9TRA`.
 * SECURITY: D225: 60 bits of a hash of the key. Somebody who swaps the key in a link would have to find another one with the same code
 * while the person looks at it.
 */
export function loginCode({ organizationId, publicKey }: LoginRequest): string {
  const hash = sha256(utf8ToBytes(`countersign login\n${organizationId.toLowerCase()}\n${publicKey.toLowerCase()}`));
  const letters = Array.from(hash.subarray(0, CODE_LENGTH), (byte) => DIGITS[byte & 31]).join('');
  return letters.replace(/.{4}(?=.)/g, '$&-');
}

/** Where the person lets the key in: a page of the console. The request is in the fragment, and reaches no server. */
export function loginLink(consoleUrl: string, { organizationId, publicKey }: LoginRequest): string {
  const given = new URLSearchParams({ organization: organizationId, key: publicKey });
  return `${new URL(consoleUrl).href}#/command-line?${given}`;
}

/** The request in a link. Undefined where it names no P-256 key in the form that `loginLink` writes. */
export function readLoginRequest(given: Readonly<Record<string, unknown>>): LoginRequest | undefined {
  const { organization: organizationId, key: publicKey } = given;
  if (typeof organizationId !== 'string' || typeof publicKey !== 'string') return undefined;
  if (!/^0[23][0-9a-f]{64}$/.test(publicKey) || !/^[0-9a-f-]{36}$/.test(organizationId)) return undefined;
  return { organizationId, publicKey };
}
