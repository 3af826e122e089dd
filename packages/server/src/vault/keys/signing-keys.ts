import type { RawSignature, SigningRequest } from '@countersign/chains';
import { createSlices } from '../../admission/index.ts';
import type { Store } from '../../store/store.ts';
import type { KeysByCurve } from '../curves/by-curve.ts';
import type { Signer } from '../curves/curve-keys.ts';
import { type Purpose, purposes } from '../envelope.ts';
import { SecretMissing, SignatureError } from '../errors.ts';
import { encodeFields } from '../integrity/keyed-hash.ts';
import { KeyReplaced, type Keyring } from '../keyring.ts';
import type { KeyReference } from '../vault.ts';
import { derivePrivateKey } from './derive.ts';
import { Secret, SecretCache } from './secret.ts';
import { seedWithin } from './wallet-secret.ts';

/** Signatures per slice, if the signer verifies in batches. */
const BATCH_SIZE = 32;
/** Signatures per slice otherwise: the slowest engine takes milliseconds per signature. */
const SLOW_BATCH_SIZE = 4;

/** A key that is ready to sign, and the reference that it was loaded for. */
interface SigningKey {
  readonly organizationId: string;
  readonly reference: KeyReference;
  readonly publicKey: Uint8Array;
  readonly signer: Signer;
  wipe(): void;
}

/** Whether two references agree in every part. SECURITY: an equal id alone must not make one key pass for another. */
function sameReference(a: KeyReference, b: KeyReference): boolean {
  if (a.id !== b.id || a.curve !== b.curve) return false;
  if (a.kind === 'privateKey' || b.kind === 'privateKey') return a.kind === b.kind;
  return a.walletId === b.walletId && a.path === b.path;
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Private keys and accounts in plain, in a bounded cache. Wallet seeds are never cached. */
export class SigningKeys {
  readonly #secrets: Store['secrets'];
  readonly #keyring: Keyring;
  readonly #curves: KeysByCurve;
  readonly #cache: SecretCache<SigningKey>;
  readonly #onSigned: ((signature: RawSignature) => void) | undefined;

  /** `onSigned` injects faults: it may alter a signature before it is verified. */
  constructor(
    secrets: Store['secrets'],
    keyring: Keyring,
    curves: KeysByCurve,
    maxKeys: number,
    onSigned?: (signature: RawSignature) => void,
  ) {
    this.#secrets = secrets;
    this.#keyring = keyring;
    this.#curves = curves;
    this.#cache = new SecretCache(maxKeys);
    this.#onSigned = onSigned;
  }

  /** Signs with the key, loading and deriving it if needed. Throws SignatureError if the reference names another key. */
  async sign(
    organizationId: string,
    reference: KeyReference,
    publicKey: Uint8Array,
    requests: readonly SigningRequest[],
  ): Promise<RawSignature[]> {
    const name = encodeFields(organizationId, reference.id);
    // The cached key may be wiped once this function awaits, so it signs immediately.
    const cached = requests.length === 1 ? this.#cache.get(name) : undefined;
    if (cached !== undefined) return this.#signVerified(checked(cached, reference, publicKey), requests);
    return this.#cache.hold(
      name,
      () => this.#load(organizationId, reference),
      (key) => this.#signAll(checked(key, reference, publicKey), requests),
    );
  }

  /** Opens a stored secret, runs `action` with it and wipes it. */
  async withSecret<R>(
    organizationId: string,
    id: string,
    purpose: Purpose,
    action: (secret: Secret) => R | Promise<R>,
  ): Promise<R> {
    const row = await this.#secrets.get(organizationId, id);
    if (row === undefined) {
      throw new SecretMissing(
        `the secret of ${id} in organization ${organizationId} is missing`,
        'restore the row from a backup',
      );
    }
    const binding = { organizationId, id, purpose };
    try {
      return await this.#keyring.open(row.ciphertext, binding, action);
    } catch (error) {
      if (!(error instanceof KeyReplaced)) throw error;
      // The secret was encrypted again after it was read.
      const again = await this.#secrets.get(organizationId, id);
      if (again === undefined) throw error;
      return this.#keyring.open(again.ciphertext, binding, action);
    }
  }

  /** Runs `action` with the plain bytes of a key, after comparing its public key with the one on record. The key is not cached. */
  async withPrivateKey<R>(
    organizationId: string,
    reference: KeyReference,
    publicKey: Uint8Array,
    action: (privateKey: Secret) => Promise<R>,
  ): Promise<R> {
    const privateKey = await this.#privateKey(organizationId, reference);
    try {
      requirePublicKey(organizationId, reference.id, this.#curves[reference.curve].publicKey(privateKey.bytes), publicKey);
      return await action(privateKey);
    } finally {
      privateKey.wipe();
    }
  }

  /** Forgets a private key or account, or every account of a wallet. */
  forget(organizationId: string, id: string): void {
    this.#cache.delete(encodeFields(organizationId, id));
    this.#cache.deleteWhere(
      (key) => key.organizationId === organizationId && key.reference.kind === 'account' && key.reference.walletId === id,
    );
  }

  /** Forgets every key of an organization. */
  forgetOrganization(organizationId: string): void {
    this.#cache.deleteWhere((key) => key.organizationId === organizationId);
  }

  wipe(): void {
    this.#cache.clear();
  }

  async #signAll(key: SigningKey, requests: readonly SigningRequest[]): Promise<RawSignature[]> {
    const signatures: RawSignature[] = [];
    const step = key.signer.verifyAll === undefined ? SLOW_BATCH_SIZE : BATCH_SIZE;
    const endSlice = createSlices(key.organizationId);
    for (let done = 0; done < requests.length; done += step) {
      await endSlice();
      signatures.push(...this.#signVerified(key, requests.slice(done, done + step)));
    }
    return signatures;
  }

  /** INVARIANT: no signature leaves the vault without verification. */
  #signVerified({ organizationId, reference, signer }: SigningKey, requests: readonly SigningRequest[]): RawSignature[] {
    const signatures = requests.map(signer.sign);
    if (this.#onSigned !== undefined) signatures.forEach(this.#onSigned);
    const isValid =
      signer.verifyAll?.(requests, signatures) ??
      requests.every((request, index) => signer.verify(request, signatures[index] as RawSignature));
    if (isValid && signatures.length === requests.length) return signatures;
    // The key in memory may be corrupt: the next use loads it again.
    this.forget(organizationId, reference.id);
    throw new SignatureError(
      organizationId,
      reference.id,
      `a signature by key ${reference.id} did not verify and was not released`,
    );
  }

  async #load(organizationId: string, reference: KeyReference): Promise<SigningKey> {
    const keys = this.#curves[reference.curve];
    const privateKey = await this.#privateKey(organizationId, reference);
    const publicKey = keys.publicKey(privateKey.bytes);
    const signer = keys.open(privateKey, publicKey);
    return { organizationId, reference: { ...reference }, publicKey, signer, wipe: () => signer.wipe() };
  }

  #privateKey(organizationId: string, reference: KeyReference): Promise<Secret> {
    const { curve } = reference;
    return reference.kind === 'privateKey'
      ? this.withSecret(organizationId, reference.id, purposes[curve], ({ bytes }) => new Secret(Uint8Array.from(bytes)))
      : this.withSecret(organizationId, reference.walletId, purposes.WALLET, (wallet) =>
          derivePrivateKey(this.#curves, seedWithin(wallet), curve, reference.path),
        );
  }
}

/** Throws SignatureError unless the reference and the public key both name this key. */
function checked(key: SigningKey, reference: KeyReference, publicKey: Uint8Array): SigningKey {
  if (!sameReference(key.reference, reference)) {
    throw new SignatureError(
      key.organizationId,
      reference.id,
      `key ${reference.id} was loaded with another kind, curve, wallet or path`,
    );
  }
  requirePublicKey(key.organizationId, reference.id, key.publicKey, publicKey);
  return key;
}

function requirePublicKey(organizationId: string, id: string, actual: Uint8Array, recorded: Uint8Array): void {
  if (!sameBytes(actual, recorded))
    throw new SignatureError(organizationId, id, `the public key on record does not belong to key ${id}`);
}
