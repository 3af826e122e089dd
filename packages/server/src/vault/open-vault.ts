import type { RawSignature } from '@countersign/chains';
import { openAtRest } from './at-rest/at-rest.ts';
import { keysByCurve } from './curves/by-curve.ts';
import { vaultClosed } from './errors.ts';
import { openIntegrity } from './integrity/integrity.ts';
import { recognize } from './integrity/integrity-key.ts';
import { Keyring } from './keyring.ts';
import { createKeys } from './keys/keys.ts';
import { openMessageKey } from './keys/message-key.ts';
import { openRpcKeys } from './keys/rpc-key.ts';
import { openServiceKeys } from './keys/service-keys.ts';
import { openSignInKeys } from './keys/sign-in-key.ts';
import { SigningKeys } from './keys/signing-keys.ts';
import { RootKeyAvailability, type RootKeyState } from './root-key/availability.ts';
import { type HandoverOptions, RootKeyHandover } from './root-key/handover.ts';
import type { RootKeyProvider } from './root-key/root-key.ts';
import { RootKeyring } from './root-key/root-keyring.ts';
import { rotationTarget } from './root-key/rotation-high-water.ts';
import { storedIntegrityKey, unlock } from './root-key/unlock.ts';
import { loadSecp256k1 } from './secp256k1/load.ts';
import type { Secp256k1 } from './secp256k1/secp256k1.ts';
import { createService } from './service.ts';
import { createOutbox } from './transfers/outbox.ts';
import { createTransfers } from './transfers/transfers.ts';
import type { Vault, VaultStore } from './vault.ts';
import type { RequireOpen, VaultState } from './vault-state.ts';

export interface VaultOptions {
  readonly store: VaultStore;
  readonly rootKeys: RootKeyProvider;
  /** Creates the keys of a database that has none. Otherwise such a database is an error. */
  readonly create?: boolean;
  /** How long data keys in memory may be used after a root key outside this process was lost. */
  readonly rootKeyGraceMs?: number;
  /** The longest time that one use of the root key may take. */
  readonly rootKeyTimeoutMs?: number;
  /** The time between two checks of a root key outside this process. */
  readonly rootKeyCheckMs?: number;
  /** Called when a root key outside this process is lost, when the grace period ends, and when it returns. */
  readonly onRootKey?: (state: RootKeyState) => void;
  /** Called with the duration of each use of a root key outside this process, in seconds. */
  readonly onRootKeyUsed?: (seconds: number) => void;
  /** Follows rotations of the root key, in a process that serves. */
  readonly handover?: Pick<HandoverOptions, 'store' | 'report' | 'pollMs'>;
  /** How many private keys and accounts stay in plain in memory. */
  readonly maxKeys?: number;
  /** How many organizations' data keys stay in plain in memory. */
  readonly maxDataKeys?: number;
  /** Forces an engine. Otherwise the native engine is used if it loads. */
  readonly secp256k1?: Secp256k1['engine'];
  /** Fault injection: may alter a signature before it is checked. */
  readonly onSigned?: (signature: RawSignature) => void;
}

/**
 * Opens the vault of a database. Throws VaultError if the root key does not open the database, or if it has no keys and `create` is not set.
 * SECURITY: everything that leads to a secret is in a closure or a private field, which neither JSON nor `inspect` shows.
 */
export async function openVault(options: VaultOptions): Promise<Vault> {
  const { store, rootKeys: provider, create = false, maxKeys = 10_000, maxDataKeys = 10_000, onSigned } = options;
  const { k1, signer, warning, withoutTables } = loadSecp256k1(options.secp256k1);
  const curves = keysByCurve(k1);
  const availability = new RootKeyAvailability({
    source: provider.source,
    graceMs: options.rootKeyGraceMs ?? 0,
    timeoutMs: options.rootKeyTimeoutMs ?? 10_000,
    checkMs: options.rootKeyCheckMs ?? 5_000,
    onStopped: () => wipeCaches(),
    onChange: options.onRootKey ?? (() => {}),
    onUsed: options.onRootKeyUsed,
  });
  const rootKeys = new RootKeyring(provider, availability.watch);
  const { integrityKey, rootKeyId, rootKey } = await unlock(store.vault, provider, rootKeys, create);
  const isIntegrityKey = recognize(integrityKey);
  const openedIntegrity = openIntegrity(integrityKey);
  const openedAtRest = openAtRest(integrityKey);
  const serviceKeys = openServiceKeys(integrityKey);
  const eventKey = openMessageKey(integrityKey, 'webhooks');
  const logKey = openMessageKey(integrityKey, 'log');
  const signInKeys = openSignInKeys(integrityKey);
  const rpcKeys = openRpcKeys(integrityKey);
  integrityKey.wipe();

  let handover: RootKeyHandover | undefined;
  // Read each time: a rotation may have begun or finished after this process started.
  const wrappingKeyId = async () => {
    // SECURITY: D579: a serving process takes over a new root key only after it opened the integrity key.
    const id = handover?.currentId ?? (await storedIntegrityKey(store.vault))?.rootKeyId ?? rootKeyId;
    return (await rotationTarget(store.vault, id).read()) ?? id;
  };
  const keyring = new Keyring(store.vault, rootKeys, wrappingKeyId, maxDataKeys);
  const signingKeys = new SigningKeys(store.secrets, keyring, curves, maxKeys, onSigned);
  const state: VaultState = {
    keyring,
    signingKeys,
    curves,
    serviceKeys,
    eventKey,
    logKey,
    signInKeys,
    rpcKeys,
  };

  function wipeCaches(): void {
    signingKeys.wipe();
    keyring.wipe();
  }

  let closed = false;
  const requireOpen: RequireOpen = () => {
    if (closed) throw vaultClosed();
    availability.requireUsable();
    return state;
  };
  availability.start(rootKey);
  const { handover: follow } = options;
  handover =
    follow &&
    new RootKeyHandover(rootKeyId, { ...follow, rootKeys, isIntegrityKey, onReplaced: (key) => availability.start(key) });
  await handover?.start();

  return Object.freeze<Vault>({
    keys: createKeys(requireOpen),
    transfers: createTransfers(requireOpen),
    outbox: createOutbox(requireOpen),
    service: createService(requireOpen),
    integrity: openedIntegrity.integrity,
    atRest: openedAtRest.atRest,
    rootKey: () => availability.state(),
    facts: {
      rootKeyId,
      rootKeySource: provider.source,
      signer,
      ...(withoutTables !== undefined && { withoutTables }),
      warnings: warning === undefined ? [] : [warning],
    },
    renewDataKey: (organizationId) => keyring.forget(organizationId),
    forget: (organizationId, id) => signingKeys.forget(organizationId, id),
    forgetOrganization(organizationId) {
      signingKeys.forgetOrganization(organizationId);
      keyring.forget(organizationId);
    },
    close() {
      closed = true;
      availability.close();
      // The lock also ends with the store.
      handover?.close().catch(() => {});
      for (const part of [
        signingKeys,
        keyring,
        serviceKeys,
        eventKey,
        logKey,
        signInKeys,
        rpcKeys,
        openedIntegrity,
        openedAtRest,
        rootKeys,
      ])
        part.wipe();
    },
  });
}
