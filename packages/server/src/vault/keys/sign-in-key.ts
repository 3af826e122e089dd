import { signInTypes } from '@countersign/contract';
import { VaultError } from '../errors.ts';
import type { Secret } from './secret.ts';
import { openStampingKeys, requireOrganization } from './stamping-keys.ts';

/** An activity to be asked for in the name of an organization's sign-in user. */
export interface SignInRequest {
  /** One of `signInTypes`. */
  readonly type: string;
  /** The organization that the activity is for: by default that of the key. In any other, the key is one of its parent's user, or unknown. */
  readonly targetId?: string;
  readonly timestampMs: number;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A body, and r and s of the signature over its SHA-256. */
export interface SignedSignIn {
  readonly body: Uint8Array;
  readonly signature: Uint8Array;
}

/** The sign-in keys: one P-256 key for each organization. After `wipe` they sign nothing. */
export interface SignInKeys {
  /** Compressed, in hexadecimal. */
  publicKey(organizationId: string): string;
  /**
   * SECURITY: D216: signs no bytes from outside. It writes the body itself, so that a sign-in key never stamps anything but the
   * activities of signing in and signing up.
   * INVARIANT: each signature is verified before it is returned.
   */
  sign(organizationId: string, request: SignInRequest): SignedSignIn;
  wipe(): void;
}

const signedTypes: ReadonlySet<string> = new Set(signInTypes);

export function openSignInKeys(integrityKey: Secret): SignInKeys {
  const keys = openStampingKeys(integrityKey, 'sign-in');
  return Object.freeze<SignInKeys>({
    publicKey(organizationId) {
      requireOrganization(organizationId, 'sign-in');
      return keys.publicKey(organizationId);
    },
    sign(organizationId, { type, targetId = organizationId, timestampMs, parameters }) {
      if (!signedTypes.has(type)) throw new VaultError(`a sign-in key does not sign ${type}`, 'use a credential of a user');
      requireOrganization(organizationId, 'sign-in');
      const text = JSON.stringify({ type, timestampMs: String(timestampMs), organizationId: targetId, parameters });
      const body = Buffer.from(text, 'utf8');
      return { body, signature: keys.sign(organizationId, body) };
    },
    wipe: keys.wipe,
  });
}
