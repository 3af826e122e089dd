import type { RawSignature } from '@countersign/chains';
import type { KeysByCurve } from './curves/by-curve.ts';
import type { Keyring } from './keyring.ts';
import type { MessageKey } from './message-key.ts';
import type { ServiceKeys } from './service-keys.ts';
import type { SignInKeys } from './sign-in-key.ts';
import type { SigningKeys } from './signing-keys.ts';

/** What the groups of an open vault work with. */
export interface Parts {
  readonly keyring: Keyring;
  readonly signingKeys: SigningKeys;
  readonly curves: KeysByCurve;
  readonly serviceKeys: ServiceKeys;
  /** Signs webhook deliveries. */
  readonly eventKey: MessageKey;
  /** Signs checkpoints of the log. */
  readonly logKey: MessageKey;
  readonly signInKeys: SignInKeys;
  /** Fault injection: may alter a signature before it is checked. */
  readonly onSigned?: (signature: RawSignature) => void;
}

/**
 * Gives the parts, or throws VaultFault once the vault is closed.
 * INVARIANT: every method of a group calls this first and has no other way to the parts. So a closed vault refuses every call.
 */
export type OpenParts = () => Parts;
