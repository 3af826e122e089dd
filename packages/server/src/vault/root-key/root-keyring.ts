import { VaultError } from '../errors.ts';
import type { RootKey, RootKeyProvider } from './root-key.ts';

/** The root keys that this process has loaded. */
export class RootKeyring {
  readonly #provider: RootKeyProvider;
  readonly #watch: (key: RootKey) => RootKey;
  readonly #keys = new Map<string, Promise<RootKey | undefined>>();

  /** `watch` may replace each key that is loaded by one that reports its failures. */
  constructor(provider: RootKeyProvider, watch: (key: RootKey) => RootKey = (key) => key) {
    this.#provider = provider;
    this.#watch = watch;
  }

  /** The key with this id. A missing key is looked up again each time, because a rotation may have made it. */
  find(id: string): Promise<RootKey | undefined> {
    const known = this.#keys.get(id);
    if (known !== undefined) return known;
    const found = this.#ask(id);
    this.#keys.set(id, found);
    return found;
  }

  /** Like `find`, but throws VaultError if there is no such key. */
  async get(id: string): Promise<RootKey> {
    const key = await this.find(id);
    if (key === undefined) {
      throw new VaultError(
        `${this.#provider.source} does not provide root key ${id}, which is needed`,
        'finish the rotation of the root key, or restart the service with the new root key',
      );
    }
    return key;
  }

  /** Wipes a key that is no longer used. */
  forget(id: string): void {
    const found = this.#keys.get(id);
    this.#keys.delete(id);
    found?.then((key) => key?.wipe()).catch(() => {});
  }

  wipe(): void {
    for (const found of this.#keys.values()) {
      // If the provider failed there is no key to wipe, and the caller of `find` has the error.
      found.then((key) => key?.wipe()).catch(() => {});
    }
    this.#keys.clear();
  }

  async #ask(id: string): Promise<RootKey | undefined> {
    let key: RootKey | undefined;
    try {
      key = await this.#provider.find(id);
      return key && this.#watch(key);
    } finally {
      if (key === undefined) this.#keys.delete(id);
    }
  }
}
