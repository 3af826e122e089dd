import { setImmediate } from 'node:timers/promises';
import type { Curve, MnemonicLanguage, RawSignature, SigningRequest } from '@countersign/chains';
import { issueCredential, issueOneTimeKey } from './credential-bundle.ts';
import { type KeysByCurve, keysByCurve } from './curves/by-curve.ts';
import { generatePrivateKey } from './curves/curve-keys.ts';
import { derivePublicKeys } from './derive.ts';
import { type Purpose, purposes, seal, type TargetUse, unseal } from './envelope.ts';
import { type EventKey, openEventKey } from './event-key.ts';
import { SignatureFault, VaultFault } from './faults.ts';
import type { HpkeMessage } from './hpke.ts';
import { type OpenIntegrity, openIntegrity } from './integrity.ts';
import { Keyring } from './keyring.ts';
import type { RootKeyProvider } from './root-key.ts';
import { RootKeyring } from './root-keyring.ts';
import { loadSecp256k1 } from './secp256k1/load.ts';
import type { Secp256k1 } from './secp256k1/secp256k1.ts';
import { Secret } from './secret.ts';
import { openServiceKeys, type ServiceKeyName, type ServiceKeys } from './service-keys.ts';
import { type SigningKey, SigningKeys } from './signing-keys.ts';
import { Transfers } from './transfers.ts';
import { storedIntegrityKey, unlock } from './unlock.ts';
import type { AccountDerivation, KeyReference, Vault, VaultFacts, VaultStore } from './vault.ts';
import { generateWalletSecret, isMnemonicLength, seedWithin } from './wallet-secret.ts';

/** How long a batch may sign before others get a turn. */
const TURN_MS = 10;

export interface VaultOptions {
  readonly store: VaultStore;
  readonly rootKeys: RootKeyProvider;
  /** How many private keys and accounts stay in plain in memory. */
  readonly maxKeys?: number;
  /** How many organizations' data keys stay in plain in memory. */
  readonly maxDataKeys?: number;
  /** Forces an engine. Otherwise the native one is used where it loads. */
  readonly secp256k1?: Secp256k1['engine'];
  /** Fault injection: may alter a signature between its making and its check. */
  readonly onSigned?: (signature: RawSignature) => void;
}

/** Opens the vault of a database, and makes its keys on first run. Throws VaultFault when the root key does not fit. */
export async function openVault(options: VaultOptions): Promise<Vault> {
  const { store, rootKeys: provider, maxKeys = 10_000, maxDataKeys = 10_000, onSigned } = options;
  const { k1, warning } = loadSecp256k1(options.secp256k1);
  const curves = keysByCurve(k1);
  const rootKeys = new RootKeyring(provider);
  const { integrityKey, rootKeyId } = await unlock(store.vault, provider, rootKeys);
  const integrity = openIntegrity(integrityKey);
  const serviceKeys = openServiceKeys(integrityKey);
  const eventKey = openEventKey(integrityKey);
  integrityKey.wipe();

  // Read afresh, since a rotation may have finished after this process started.
  const currentRootKeyId = async () => (await storedIntegrityKey(store.vault))?.rootKeyId ?? rootKeyId;
  const keyring = new Keyring(store.vault, rootKeys, currentRootKeyId, maxDataKeys);
  const keys = new SigningKeys(store.secrets, keyring, curves, maxKeys);
  const facts = {
    rootKeyId,
    rootKeySource: provider.source,
    secp256k1: k1.engine,
    warnings: warning === undefined ? [] : [warning],
  };
  const transfers = new Transfers(keyring, keys, curves);
  const parts = { rootKeys, keyring, keys, curves, transfers, serviceKeys, eventKey, integrity, facts };
  return new OpenVault({ ...parts, ...(onSigned && { onSigned }) });
}

interface Parts {
  readonly rootKeys: RootKeyring;
  readonly keyring: Keyring;
  readonly keys: SigningKeys;
  readonly curves: KeysByCurve;
  readonly transfers: Transfers;
  readonly serviceKeys: ServiceKeys;
  readonly eventKey: EventKey;
  readonly integrity: OpenIntegrity;
  readonly facts: VaultFacts;
  readonly onSigned?: (signature: RawSignature) => void;
}

/** SECURITY: everything that leads to a secret is in private fields, which neither JSON nor `inspect` shows. */
class OpenVault implements Vault {
  readonly #parts: Parts;
  #closed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get facts(): VaultFacts {
    return this.#parts.facts;
  }

  get integrity() {
    return this.#parts.integrity.integrity;
  }

  get serviceKeys() {
    return this.#parts.serviceKeys.publicKeys;
  }

  get eventKey() {
    return this.#parts.eventKey.publicKey;
  }

  async createDataKey(organizationId: string) {
    return this.#open().keyring.create(organizationId);
  }

  async generatePrivateKey(organizationId: string, privateKeyId: string, curve: Curve) {
    const keys = this.#open().curves[curve];
    const secret = new Secret(generatePrivateKey(keys));
    try {
      const ciphertext = await this.#seal(organizationId, privateKeyId, purposes[curve], secret);
      return { publicKey: keys.publicKey(secret.bytes), ciphertext };
    } finally {
      secret.wipe();
    }
  }

  async generateWallet(organizationId: string, walletId: string, mnemonicLength: number, accounts: readonly AccountDerivation[]) {
    this.#open();
    if (!isMnemonicLength(mnemonicLength))
      throw new RangeError(`a recovery phrase has 12, 15, 18, 21 or 24 words, not ${mnemonicLength}`);
    const secret = await generateWalletSecret(mnemonicLength);
    try {
      const publicKeys = derivePublicKeys(this.#parts.curves, seedWithin(secret), accounts);
      return { ciphertext: await this.#seal(organizationId, walletId, purposes.WALLET, secret), publicKeys };
    } finally {
      secret.wipe();
    }
  }

  async deriveAccounts(organizationId: string, walletId: string, accounts: readonly AccountDerivation[]) {
    const { keys, curves } = this.#open();
    return keys.withSecret(organizationId, walletId, purposes.WALLET, (secret) =>
      derivePublicKeys(curves, seedWithin(secret), accounts),
    );
  }

  async sign(organizationId: string, key: KeyReference, publicKey: Uint8Array, requests: readonly SigningRequest[]) {
    const { keys } = this.#open();
    const [first] = requests;
    if (first !== undefined && requests.length === 1) {
      const cached = keys.cached(organizationId, key, publicKey);
      if (cached !== undefined) return [this.#sign(cached, first)];
    }
    return keys.use(organizationId, key, publicKey, (held) => this.#signAll(held, requests));
  }

  async issueCredential(targetPublicKey: Uint8Array) {
    this.#open();
    return issueCredential(targetPublicKey);
  }

  async issueOneTimeKey() {
    this.#open();
    return issueOneTimeKey();
  }

  async sealOutbox(organizationId: string, id: string, message: string) {
    this.#open();
    const secret = new Secret(Buffer.from(message, 'utf8'));
    try {
      return await this.#seal(organizationId, id, purposes.OUTBOX, secret);
    } finally {
      secret.wipe();
    }
  }

  async openOutbox(organizationId: string, id: string, ciphertext: Uint8Array) {
    const binding = { organizationId, id, purpose: purposes.OUTBOX };
    return this.#open().keyring.use(organizationId, (dataKey) => {
      const secret = unseal(dataKey, ciphertext, binding);
      const message = Buffer.from(secret.bytes).toString('utf8');
      secret.wipe();
      return message;
    });
  }

  async createTarget(organizationId: string, targetId: string, use: TargetUse) {
    return this.#open().transfers.createTarget(organizationId, targetId, use);
  }

  async openMessage(organizationId: string, targetId: string, sealedTarget: Uint8Array, message: HpkeMessage) {
    return this.#open().transfers.openMessage(organizationId, targetId, sealedTarget, message);
  }

  async importWallet(
    organizationId: string,
    walletId: string,
    targetIds: readonly string[],
    message: HpkeMessage,
    accounts: readonly AccountDerivation[],
  ) {
    return this.#open().transfers.importWallet(organizationId, walletId, targetIds, message, accounts);
  }

  async importPrivateKey(
    organizationId: string,
    privateKeyId: string,
    targetIds: readonly string[],
    message: HpkeMessage,
    curve: Curve,
  ) {
    return this.#open().transfers.importPrivateKey(organizationId, privateKeyId, targetIds, message, curve);
  }

  async exportWallet(organizationId: string, walletId: string, target: Uint8Array, language?: MnemonicLanguage) {
    return this.#open().transfers.exportWallet(organizationId, walletId, target, language);
  }

  async exportPrivateKey(organizationId: string, key: KeyReference, publicKey: Uint8Array, target: Uint8Array) {
    return this.#open().transfers.exportPrivateKey(organizationId, key, publicKey, target);
  }

  async attest(key: ServiceKeyName, message: Uint8Array) {
    return this.#open().serviceKeys.sign(key, message);
  }

  async signEvent(message: Uint8Array) {
    return this.#open().eventKey.sign(message);
  }

  forget(organizationId: string, id: string): void {
    this.#parts.keys.forget(organizationId, id);
  }

  close(): void {
    this.#closed = true;
    const { rootKeys, keyring, keys, serviceKeys, eventKey, integrity } = this.#parts;
    for (const part of [keys, keyring, serviceKeys, eventKey, integrity, rootKeys]) part.wipe();
  }

  #open(): Parts {
    if (this.#closed) throw new VaultFault('the vault is closed', 'start the service again');
    return this.#parts;
  }

  #seal(organizationId: string, id: string, purpose: Purpose, secret: Secret): Promise<Uint8Array> {
    return this.#parts.keyring.use(organizationId, (dataKey) => seal(dataKey, secret.bytes, { organizationId, id, purpose }));
  }

  async #signAll(key: SigningKey, requests: readonly SigningRequest[]): Promise<RawSignature[]> {
    const signatures: RawSignature[] = [];
    let turnEndsMs = performance.now() + TURN_MS;
    for (const request of requests) {
      if (performance.now() > turnEndsMs) {
        await setImmediate();
        turnEndsMs = performance.now() + TURN_MS;
      }
      signatures.push(this.#sign(key, request));
    }
    return signatures;
  }

  /** INVARIANT: no signature leaves without having passed its check. */
  #sign({ organizationId, reference, signer }: SigningKey, request: SigningRequest): RawSignature {
    const signature = signer.sign(request);
    this.#parts.onSigned?.(signature);
    if (signer.verify(request, signature)) return signature;
    // What is in memory may be what went wrong: the next use loads the key again.
    this.forget(organizationId, reference.id);
    throw new SignatureFault(
      organizationId,
      reference.id,
      `a signature by key ${reference.id} did not verify and was not released`,
    );
  }
}
