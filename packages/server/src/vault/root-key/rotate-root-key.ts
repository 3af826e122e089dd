import type { DataKeyRow, SettingRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { unwrapDataKey, wrapDataKey } from '../data-key.ts';
import { VaultError } from '../errors.ts';
import { parseIntegrityKey, unwrapIntegrityKey, type WrappedIntegrityKey, wrapIntegrityKey } from '../integrity/integrity-key.ts';
import type { Secret } from '../keys/secret.ts';
import type { RootKey, RootKeyProvider } from './root-key.ts';
import { RootKeyring } from './root-keyring.ts';
import { rotationTarget } from './rotation-high-water.ts';
import { storedIntegrityKey, wrongRootKey } from './unlock.ts';

export interface RotationOptions {
  readonly store: Pick<Store, 'vault' | 'lockInstallation'>;
  /** Holds the present root key of the database. */
  readonly from: RootKeyProvider;
  /** Makes or holds the next root key of the database: `nextFileRootKey` or `passphraseRootKey`. */
  readonly to: RootKeyProvider;
  /** Called after each durable batch with the number of data keys that this run has rewrapped so far. */
  readonly onProgress?: (rewrapped: number) => void;
  readonly batchSize?: number;
}

/** The result of a rotation. */
export interface Rotation {
  readonly fromId: string;
  readonly toId: string;
  /** Data keys that this run rewrapped. Fewer than all if an earlier run was interrupted. */
  readonly rewrapped: number;
}

/**
 * Replaces the root key of the database: wraps every organization's data key again, then the integrity key, and changes no other row.
 * Every server must be stopped. The process may die at any point: the next run with the same providers continues.
 *
 * INVARIANT: both root keys are durable, and the target is marked, before the first key is rewrapped. The integrity key names the root
 * key of the database, so it moves last, after every data key. The old root key is retired after that, and never deleted.
 */
export async function rotateRootKey(options: RotationOptions): Promise<Rotation> {
  const { store, from, to } = options;
  const release = await store.lockInstallation('exclusive');
  const run = new Run(options);
  let rotation: Rotation;
  try {
    rotation = await run.rotate();
  } catch (error) {
    // The first error is more useful than a lost lock.
    await release().catch(() => {});
    throw error;
  } finally {
    run.wipe();
  }
  // Rejects if the lock was lost. Then no root key is retired, and the next run handles concurrent writes.
  await release();
  await to.activate?.();
  await from.retire?.(rotation.fromId);
  return rotation;
}

class Run {
  readonly #options: RotationOptions;
  readonly #vault: Store['vault'];
  readonly #sources: RootKeyring;
  readonly #targets: RootKeyring;

  constructor(options: RotationOptions) {
    this.#options = options;
    this.#vault = options.store.vault;
    this.#sources = new RootKeyring(options.from);
    this.#targets = new RootKeyring(options.to);
  }

  async rotate(): Promise<Rotation> {
    const stored = await storedIntegrityKey(this.#vault);
    if (stored === undefined) throw new VaultError('this database has no root key yet', 'start the service once, then rotate');
    const { rootKeyId } = stored;
    // Without `activate`, nothing is left to do once the integrity key has moved. So a key that both providers have is the present one.
    const present = this.#options.to.activate === undefined ? await this.#sources.find(rootKeyId) : undefined;
    if (present !== undefined) return this.#move(present, stored);
    const arrived = await this.#targets.find(rootKeyId);
    if (arrived !== undefined) return this.#finish(arrived, stored);
    const source = await this.#sources.find(rootKeyId);
    if (source !== undefined) return this.#move(source, stored);
    return this.#rest(stored);
  }

  wipe(): void {
    this.#sources.wipe();
    this.#targets.wipe();
  }

  async #move(source: RootKey, stored: WrappedIntegrityKey): Promise<Rotation> {
    const fromId = stored.rootKeyId;
    const integrityKey = await unwrapIntegrityKey(source, stored);
    try {
      const target = await this.#target(fromId);
      const rewrapped = await this.#rewrapDataKeys(target);
      await this.#vault.rewrap([], await rewrapIntegrityKey(target, integrityKey, fromId));
      return { fromId, toId: target.id, rewrapped };
    } finally {
      integrityKey.wipe();
    }
  }

  /** An earlier run rewrapped the integrity key, and died before it activated and retired the root keys. */
  async #finish(target: RootKey, { previousRootKeyId = target.id }: WrappedIntegrityKey): Promise<Rotation> {
    return { fromId: previousRootKeyId, toId: target.id, rewrapped: await this.#rewrapDataKeys(target) };
  }

  /** An earlier run did everything, and died before it reported. */
  async #rest(stored: WrappedIntegrityKey): Promise<Rotation> {
    const { from, to } = this.#options;
    const { rootKeyId, previousRootKeyId } = stored;
    const cameFromHere = previousRootKeyId !== undefined && (await this.#sources.find(previousRootKeyId)) !== undefined;
    const active = cameFromHere ? await to.findActive?.(rootKeyId) : undefined;
    if (active === undefined) throw await wrongRootKey(from, rootKeyId);
    return this.#finish(active, stored).finally(active.wipe);
  }

  /** The key to rotate to: the target of an interrupted run, or a new key. It is read back from its provider before it is used. */
  async #target(fromId: string): Promise<RootKey> {
    const { to } = this.#options;
    const id = (await rotationTarget(this.#vault, fromId).read()) ?? (await this.#begin(fromId));
    const target = await this.#targets.find(id);
    if (target === undefined) {
      throw new VaultError(
        `a rotation from root key ${fromId} to ${id} has begun, but ${to.source} does not provide root key ${id}`,
        'run the rotation with the root key that it began with',
      );
    }
    return target;
  }

  async #begin(fromId: string): Promise<string> {
    const created = await this.#options.to.create();
    created.wipe();
    return rotationTarget(this.#vault, fromId).raise(created.id);
  }

  async #rewrapDataKeys(target: RootKey): Promise<number> {
    const { batchSize = 500, onProgress } = this.#options;
    let rewrapped = 0;
    for (let afterId: string | undefined; ; ) {
      const rows = await this.#vault.dataKeysNotUnder(target.id, batchSize, afterId);
      const last = rows.at(-1);
      // The last pass starts again at the first organization, and must find nothing.
      if (last === undefined && afterId === undefined) return rewrapped;
      afterId = last?.organizationId;
      if (last === undefined) continue;
      await this.#vault.rewrap(await Promise.all(rows.map((row) => this.#rewrap(row, target))));
      rewrapped += rows.length;
      onProgress?.(rewrapped);
    }
  }

  async #rewrap(row: DataKeyRow, target: RootKey): Promise<DataKeyRow> {
    const key = await unwrapDataKey(await this.#sources.get(row.rootKeyId), row);
    const next = await wrapDataKey(target, row.organizationId, key);
    try {
      requireSame(key, await unwrapDataKey(target, next), 'a data key');
    } finally {
      key.wipe();
    }
    return next;
  }
}

/** INVARIANT: a rotation wraps the integrity key again and never replaces it. Every MAC in the database depends on it. */
async function rewrapIntegrityKey(target: RootKey, key: Secret, fromId: string): Promise<SettingRow> {
  const next = await wrapIntegrityKey(target, key, fromId);
  requireSame(key, await unwrapIntegrityKey(target, parseIntegrityKey(next)), 'the integrity key');
  return next;
}

/** Wipes the key that was unwrapped again. */
function requireSame(key: Secret, opened: Secret, what: string): void {
  const isSame = Buffer.compare(opened.bytes, key.bytes) === 0;
  opened.wipe();
  if (isSame) return;
  throw new VaultError(`${what} changed while it was rewrapped`, 'check this machine: its memory or processor computes wrongly');
}
