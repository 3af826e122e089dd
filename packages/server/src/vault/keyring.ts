import { randomBytes } from 'node:crypto';
import type { DataKeyRow } from '../store/rows.ts';
import { generationOf, withGeneration, withoutGeneration } from '../store/sealed-bytes.ts';
import type { Store } from '../store/store.ts';
import { DataKeys, wrapDataKey } from './data-key.ts';
import { type Binding, notAuthentic, type Purpose, seal, unseal } from './envelope.ts';
import { VaultError } from './errors.ts';
import { Secret, SecretCache } from './keys/secret.ts';
import type { RootKeyring } from './root-key/root-keyring.ts';

/** Data keys of an organization. `stored` is true once the database is known to hold them. */
interface CachedKeys {
  readonly keys: DataKeys;
  readonly stored: boolean;
  wipe(): void;
}

function cached(keys: DataKeys, stored: boolean): CachedKeys {
  return { keys, stored, wipe: () => keys.wipe() };
}

/** Makes the data keys of organizations, unwraps them on demand and keeps them in a bounded cache. */
export class Keyring {
  readonly #store: Store['vault'];
  readonly #rootKeys: RootKeyring;
  readonly #wrappingKeyId: () => Promise<string>;
  readonly #dataKeys: SecretCache<CachedKeys>;

  /** `wrappingKeyId` names the root key for new data keys. */
  constructor(store: Store['vault'], rootKeys: RootKeyring, wrappingKeyId: () => Promise<string>, maxDataKeys: number) {
    this.#store = store;
    this.#rootKeys = rootKeys;
    this.#wrappingKeyId = wrappingKeyId;
    this.#dataKeys = new SecretCache(maxDataKeys);
  }

  async create(organizationId: string): Promise<{ rootKeyId: string; wrapped: Uint8Array }> {
    const rootKey = await this.#rootKeys.get(await this.#wrappingKeyId());
    const key = new Secret(randomBytes(32));
    const { rootKeyId, wrapped } = await wrapDataKey(rootKey, organizationId, key);
    this.#dataKeys.set(organizationId, cached(new DataKeys(0, key), false));
    return { rootKeyId, wrapped };
  }

  /** Runs `action` with the organization's data key. Throws VaultError when it has none. */
  async use<R>(organizationId: string, action: (key: Secret) => R | Promise<R>): Promise<R> {
    return this.#hold(organizationId, ({ present }) => action(present));
  }

  /** Encrypts a secret under the organization's data key. Throws VaultError when it has none. */
  seal(organizationId: string, id: string, purpose: Purpose, secret: Secret): Promise<Uint8Array> {
    return this.#hold(organizationId, ({ present, generation }) =>
      withGeneration(generation, seal(present, secret.bytes, { organizationId, id, purpose })),
    );
  }

  /** Opens what `seal` made for the same binding, and runs `action` with it. Throws VaultError for anything else. */
  async open<R>(sealed: Uint8Array, binding: Binding, action: (secret: Secret) => R | Promise<R>): Promise<R> {
    const { organizationId } = binding;
    const generation = generationOf(sealed);
    const opened = async ({ present, previous, generation: current }: DataKeys) => {
      // Bytes of a later generation: these keys are from before a rotation.
      const key = generation === current ? present : generation < current ? previous : undefined;
      if (key === undefined) return undefined;
      const secret = unseal(key, withoutGeneration(sealed), binding);
      try {
        return { result: await action(secret) };
      } finally {
        secret.wipe();
      }
    };
    const found = await this.#hold(organizationId, opened);
    if (found !== undefined) return found.result;
    // Another process replaced the data key since it was read.
    this.forget(organizationId);
    const again = await this.#hold(organizationId, opened);
    if (again === undefined) throw new KeyReplaced(binding);
    return again.result;
  }

  /** Forgets data keys that the database holds, and reads them before the next use. The only copy of a new one stays. */
  forget(organizationId: string): void {
    // Also a load in progress must not enter the cache. A new key stays until it is stored: only this process has it.
    if (this.#dataKeys.get(organizationId)?.stored !== false) this.#dataKeys.delete(organizationId);
  }

  wipe(): void {
    this.#dataKeys.clear();
  }

  async #hold<R>(organizationId: string, action: (keys: DataKeys) => R | Promise<R>): Promise<R> {
    const known = this.#dataKeys.get(organizationId);
    // SECURITY: another process may have stored its key first. A secret sealed under the key that lost could never be opened.
    if (known?.stored === false && (await this.#store.dataKey(organizationId)) !== undefined)
      this.#dataKeys.delete(organizationId);
    return this.#dataKeys.hold(
      organizationId,
      async () => cached(await this.#load(organizationId), true),
      ({ keys }) => action(keys),
    );
  }

  async #load(organizationId: string): Promise<DataKeys> {
    const row = await this.#read(organizationId);
    const rootKey = await this.#rootKeys.find(row.rootKeyId);
    if (rootKey !== undefined) return DataKeys.open(rootKey, row);
    // A rotation may have replaced the root key since the row was read.
    const again = await this.#read(organizationId);
    return DataKeys.open(await this.#rootKeys.get(again.rootKeyId), again);
  }

  async #read(organizationId: string): Promise<DataKeyRow> {
    const row = await this.#store.dataKey(organizationId);
    if (row !== undefined) return row;
    throw new VaultError(
      `organization ${organizationId} has no data key`,
      'restore the row from a backup, if the organization existed',
    );
  }
}

/** A secret was sealed under a data key that no longer exists. */
export class KeyReplaced extends VaultError {
  constructor(binding: Binding) {
    const { message, fix } = notAuthentic(binding);
    super(message, fix);
  }
}
