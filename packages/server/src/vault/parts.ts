import type { RawSignature } from '@countersign/chains';
import type { KeysByCurve } from './curves/by-curve.ts';
import type { EventKey } from './event-key.ts';
import type { Keyring } from './keyring.ts';
import type { ServiceKeys } from './service-keys.ts';
import type { SigningKeys } from './signing-keys.ts';

/** What the groups of an open vault work with. */
export interface Parts {
  readonly keyring: Keyring;
  readonly signingKeys: SigningKeys;
  readonly curves: KeysByCurve;
  readonly serviceKeys: ServiceKeys;
  readonly eventKey: EventKey;
  /** Fault injection: may alter a signature before it is checked. */
  readonly onSigned?: (signature: RawSignature) => void;
}

/**
 * Gives the parts, or throws VaultFault once the vault is closed.
 * INVARIANT: a group reaches the parts through this function alone, at the start of every method, so that a closed vault refuses all.
 */
export type OpenParts = () => Parts;
