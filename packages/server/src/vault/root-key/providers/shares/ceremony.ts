import { RootKeyUnavailable } from '../../../errors.ts';
import { Secret } from '../../../keys/secret.ts';
import { localRootKey, ROOT_KEY_BYTES, type RootKey } from '../../root-key.ts';
import { combine } from './shamir.ts';
import { checkOf, type Share } from './share.ts';
import type { Sharing } from './shares-setting.ts';
import type { SealStatus } from './unseal-socket.ts';

/** Collects the shares of one root key until they give the key. It can be sealed and unsealed again. */
export class Ceremony {
  readonly #rootKeyId: string;
  readonly #sharing: () => Promise<Sharing>;
  readonly #shares = new Map<string, Uint8Array>();
  #threshold = 0;
  /** Counts how often it was sealed. */
  #seals = 0;
  #bytes: Secret | undefined;
  #key: RootKey | undefined;
  #opened = createLatch();
  #onSealed: (() => void)[] = [];

  constructor(rootKeyId: string, sharing: () => Promise<Sharing>) {
    this.#rootKeyId = rootKeyId;
    this.#sharing = sharing;
  }

  status(): SealStatus {
    const sealed = this.#key === undefined;
    return { rootKeyId: this.#rootKeyId, sealed, shares: this.#shares.size, threshold: this.#threshold };
  }

  /** Resolves when enough shares were given. */
  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  /** Takes a share. Throws RootKeyUnavailable with the reason if it is not one of the last sharing. */
  async add(share: Share): Promise<void> {
    if (this.#key !== undefined) return;
    const { generation, threshold, checks } = await this.#sharing();
    this.#threshold = threshold;
    if (share.generation !== generation)
      throw refused(`the share is of generation ${share.generation}, and the root key was shared again since (${generation})`);
    const check = checkOf(share);
    if (!checks.includes(check)) throw refused('the share is not one of this root key: it was altered or mistyped');
    if (this.#key !== undefined) return;
    this.#shares.set(check, share.bytes);
    if (this.#shares.size >= threshold) await this.#open();
  }

  /** SECURITY: forgets the key and all shares immediately. */
  seal(): void {
    this.#seals += 1;
    this.#forget();
    this.#key?.wipe();
    this.#bytes?.wipe();
    if (this.#key === undefined) return;
    this.#key = undefined;
    this.#bytes = undefined;
    this.#opened = createLatch();
    for (const listener of this.#onSealed) listener();
  }

  /** The key, which works while it is unsealed. */
  rootKey(onWipe: () => void): RootKey {
    return Object.freeze<RootKey>({
      id: this.#rootKeyId,
      isRemote: true,
      wrap: async (key, associatedData) => this.#require().wrap(key, associatedData),
      unwrap: async (wrapped, associatedData) => this.#require().unwrap(wrapped, associatedData),
      onSealed: (listener) => void this.#onSealed.push(listener),
      wipe: onWipe,
    });
  }

  /** A copy of the key, if it is unsealed. */
  copy(): Uint8Array | undefined {
    return this.#bytes && Uint8Array.from(this.#bytes.bytes);
  }

  /** Runs the action with the bytes of the key. */
  async use<T>(action: (bytes: Uint8Array) => Promise<T>): Promise<T> {
    this.#require();
    return action((this.#bytes as Secret).bytes);
  }

  #require(): RootKey {
    if (this.#key === undefined) throw sealed(this.status());
    return this.#key;
  }

  /** Too few or wrong shares give another value without an error, so the id of the key is compared. */
  async #open(): Promise<void> {
    const seals = this.#seals;
    const copies = [...this.#shares.values()].map((share) => Uint8Array.from(share));
    const bytes = await combine(copies);
    for (const share of copies) share.fill(0);
    // SECURITY: it was sealed meanwhile, or another share completed the key first.
    if (seals !== this.#seals || this.#key !== undefined) {
      bytes.fill(0);
      if (seals !== this.#seals) throw sealed(this.status());
      return;
    }
    this.#forget();
    const copy = new Secret(Uint8Array.from(bytes));
    const key = bytes.length === ROOT_KEY_BYTES ? localRootKey(bytes) : undefined;
    if (key?.id !== this.#rootKeyId) {
      key?.wipe();
      copy.wipe();
      throw refused('the shares do not give the root key: start again');
    }
    this.#key = key;
    this.#bytes = copy;
    this.#opened.open();
  }

  #forget(): void {
    for (const share of this.#shares.values()) share.fill(0);
    this.#shares.clear();
  }
}

function createLatch(): { readonly promise: Promise<void>; open(): void } {
  let open = () => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open: () => open() };
}

const refused = (message: string) => new RootKeyUnavailable(message, 'give another share');

export function sealed({ rootKeyId, shares, threshold }: SealStatus): RootKeyUnavailable {
  const progress = threshold === 0 ? '' : ` (${shares} of ${threshold} shares)`;
  return new RootKeyUnavailable(`root key ${rootKeyId} is sealed${progress}`, "give shares with 'countersign unseal'");
}
