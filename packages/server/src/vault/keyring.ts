import { randomBytes } from 'node:crypto';
import type { Store } from '../store/store.ts';
import { unwrapDataKey, wrapDataKey } from './data-key.ts';
import { type Purpose, seal } from './envelope.ts';
import { VaultError } from './errors.ts';
import { Secret, SecretCache } from './keys/secret.ts';
import type { RootKeyring } from './root-key/root-keyring.ts';

/** An organization's data key. `stored` is true once the database is known to hold it. */
interface DataKey {
  readonly key: Secret;
  readonly stored: boolean;
  wipe(): void;
}

function dataKey(key: Secret, stored: boolean): DataKey {
  return { key, stored, wipe: () => key.wipe() };
}

/** Makes the data keys of organizations, unwraps them on demand and keeps them in a bounded cache. */
export class Keyring {
  readonly #store: Store['vault'];
  readonly #rootKeys: RootKeyring;
  readonly #currentRootKeyId: () => Promise<string>;
  readonly #dataKeys: SecretCache<DataKey>;

  constructor(store: Store['vault'], rootKeys: RootKeyring, currentRootKeyId: () => Promise<string>, maxDataKeys: number) {
    this.#store = store;
    this.#rootKeys = rootKeys;
    this.#currentRootKeyId = currentRootKeyId;
    this.#dataKeys = new SecretCache(maxDataKeys);
  }

  async create(organizationId: string): Promise<{ rootKeyId: string; wrapped: Uint8Array }> {
    const rootKey = await this.#rootKeys.get(await this.#currentRootKeyId());
    const key = new Secret(randomBytes(32));
    const { rootKeyId, wrapped } = await wrapDataKey(rootKey, organizationId, key);
    this.#dataKeys.set(organizationId, dataKey(key, false));
    return { rootKeyId, wrapped };
  }

  /** Runs `action` with the organization's data key. Throws VaultError when it has none. */
  async use<R>(organizationId: string, action: (key: Secret) => R | Promise<R>): Promise<R> {
    const cached = this.#dataKeys.get(organizationId);
    // SECURITY: another process may have stored its key first. A secret sealed under the key that lost could never be opened.
    if (cached?.stored === false && (await this.#store.dataKey(organizationId)) !== undefined)
      this.#dataKeys.delete(organizationId);
    return this.#dataKeys.hold(
      organizationId,
      async () => dataKey(await this.#load(organizationId), true),
      ({ key }) => action(key),
    );
  }

  /** Encrypts a secret under the organization's data key. Throws VaultError when it has none. */
  seal(organizationId: string, id: string, purpose: Purpose, secret: Secret): Promise<Uint8Array> {
    return this.use(organizationId, (dataKey) => seal(dataKey, secret.bytes, { organizationId, id, purpose }));
  }

  /** Forgets a data key that the database holds. The only copy of a new one stays. */
  forget(organizationId: string): void {
    if (this.#dataKeys.get(organizationId)?.stored === true) this.#dataKeys.delete(organizationId);
  }

  wipe(): void {
    this.#dataKeys.clear();
  }

  async #load(organizationId: string): Promise<Secret> {
    const row = await this.#store.dataKey(organizationId);
    if (row === undefined) {
      throw new VaultError(
        `organization ${organizationId} has no data key`,
        'restore the row from a backup, if the organization existed',
      );
    }
    return unwrapDataKey(await this.#rootKeys.get(row.rootKeyId), {
      organizationId,
      rootKeyId: row.rootKeyId,
      wrapped: row.wrapped,
    });
  }
}
