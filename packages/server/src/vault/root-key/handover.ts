import { setTimeout as sleep } from 'node:timers/promises';
import type { NamedRelease, Store } from '../../store/store.ts';
import { VaultError } from '../errors.ts';
import { unwrapIntegrityKey } from '../integrity/integrity-key.ts';
import type { Secret } from '../keys/secret.ts';
import type { RootKey } from './root-key.ts';
import type { RootKeyring } from './root-keyring.ts';
import { readNext, rootKeyLock, rotationTarget } from './rotation-high-water.ts';
import { storedIntegrityKey } from './unlock.ts';

const POLL_MS = 1_000;
const RETRY_MS = 100;
const RETRIES = 100;

export interface HandoverOptions {
  readonly store: Pick<Store, 'vault' | 'tryNamedLock'>;
  readonly rootKeys: RootKeyring;
  /** Whether a key is the integrity key of this vault. */
  isIntegrityKey(key: Secret): boolean;
  /** Called with the new root key when a rotation has ended. */
  onReplaced(rootKey: RootKey): void;
  /** Called with one sentence for the operator. */
  report(message: string): void;
  /** The time between two looks at the database. */
  readonly pollMs?: number;
}

/**
 * Follows a rotation of the root key in a serving process. The process holds a shared lock of its root key until it has the next one. The
 * rotation begins after it got that lock alone, so every process that serves then can open what it wraps.
 */
export class RootKeyHandover {
  readonly #options: HandoverOptions;
  #held: { readonly id: string; readonly release: NamedRelease } | undefined;
  #currentId: string;
  /** The key before the last rotation. It is wiped one look later, because a request may be using it. */
  #replacedId: string | undefined;
  #reported = '';
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(rootKeyId: string, options: HandoverOptions) {
    this.#currentId = rootKeyId;
    this.#options = options;
  }

  /** The root key of the database, as this process knows it. */
  get currentId(): string {
    return this.#currentId;
  }

  /** INVARIANT: afterwards this process holds the lock of the root key, or has the key that replaces it. */
  async start(): Promise<void> {
    const { vault } = this.#options.store;
    for (;;) {
      await this.#hold(this.#currentId);
      const id = (await storedIntegrityKey(vault))?.rootKeyId ?? this.#currentId;
      if (id === this.#currentId) break;
      await this.#options.rootKeys.get(id);
      this.#currentId = id;
    }
    const next = await rotationTarget(vault, this.#currentId).read();
    if (next !== undefined) {
      await this.#options.rootKeys.get(next);
      await this.#hold(next);
    }
    this.#schedule();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#held?.release();
  }

  /** Takes the lock of a key before it gives up the one that it has. */
  async #hold(id: string): Promise<void> {
    const before = this.#held;
    if (before?.id === id) return;
    for (let tries = 0; ; tries++) {
      const release = await this.#options.store.tryNamedLock(rootKeyLock(id), 'shared');
      if (release !== undefined) {
        this.#held = { id, release };
        await before?.release();
        return;
      }
      // A rotation has the lock for the moment in which it begins.
      if (tries === RETRIES)
        throw new VaultError('the lock of the root key is not released', "wait for 'countersign vault rotate', then start again");
      await sleep(RETRY_MS);
    }
  }

  #schedule(): void {
    if (this.#closed) return;
    const look = () =>
      this.#look()
        .catch((error: unknown) => this.#report(`cannot follow a rotation of the root key: ${(error as Error).message}`))
        .finally(() => this.#schedule());
    this.#timer = setTimeout(() => void look(), this.#options.pollMs ?? POLL_MS).unref();
  }

  async #look(): Promise<void> {
    const { store, rootKeys } = this.#options;
    if (this.#replacedId !== undefined) rootKeys.forget(this.#replacedId);
    this.#replacedId = undefined;
    const next = await readNext(store.vault);
    if (next !== undefined && next.from === this.#currentId && this.#held?.id === next.from) await this.#prepare(next.to);
    const stored = await storedIntegrityKey(store.vault);
    if (stored === undefined || stored.rootKeyId === this.#currentId || this.#closed) return;
    const rootKey = await rootKeys.get(stored.rootKeyId);
    const key = await unwrapIntegrityKey(rootKey, stored);
    const isSame = this.#options.isIntegrityKey(key);
    key.wipe();
    // SECURITY: otherwise write access to the database would suffice to name another root key.
    if (!isSame) throw new VaultError('the integrity key was replaced', 'find out who changed the database');
    await this.#hold(rootKey.id);
    this.#replacedId = this.#currentId;
    this.#currentId = rootKey.id;
    this.#options.onReplaced(rootKey);
    this.#report(`the root key was replaced: ${rootKey.id}`);
  }

  async #prepare(nextId: string): Promise<void> {
    const key = await this.#options.rootKeys.find(nextId);
    if (this.#closed) return;
    if (key === undefined) {
      this.#report(`a rotation waits for this process, which does not have root key ${nextId}`);
      return;
    }
    await this.#hold(nextId);
    this.#report(`ready for a rotation to root key ${nextId}`);
  }

  #report(message: string): void {
    if (message === this.#reported || this.#closed) return;
    this.#reported = message;
    this.#options.report(message);
  }
}
