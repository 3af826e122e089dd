import type { KeysByCurve } from './curves/by-curve.ts';
import type { Keyring } from './keyring.ts';
import type { MessageKey } from './keys/message-key.ts';
import type { RpcKeys } from './keys/rpc-key.ts';
import type { ServiceKeys } from './keys/service-keys.ts';
import type { SignInKeys } from './keys/sign-in-key.ts';
import type { SigningKeys } from './keys/signing-keys.ts';

/** The keys and caches of an open vault. */
export interface VaultState {
  readonly keyring: Keyring;
  readonly signingKeys: SigningKeys;
  readonly curves: KeysByCurve;
  readonly serviceKeys: ServiceKeys;
  /** Signs webhook deliveries. */
  readonly eventKey: MessageKey;
  /** Signs checkpoints of the log. */
  readonly logKey: MessageKey;
  readonly signInKeys: SignInKeys;
  /** Stamp for callers of the JSON-RPC endpoint. */
  readonly rpcKeys: RpcKeys;
}

/**
 * Returns the state, or throws VaultError if the vault is closed.
 * INVARIANT: every method of the vault gets the state from this function, so a closed vault rejects every call.
 */
export type RequireOpen = () => VaultState;
