import { setTimeout as sleep } from 'node:timers/promises';
import type { DataKeyRow } from '../../store/rows.ts';
import type { Store } from '../../store/store.ts';
import { DataKeys } from '../data-key.ts';
import { VaultError } from '../errors.ts';
import { parseIntegrityKey, unwrapIntegrityKey, type WrappedIntegrityKey, wrapIntegrityKey } from '../integrity/integrity-key.ts';
import type { Secret } from '../keys/secret.ts';
import type { RootKey, RootKeyProvider } from './root-key.ts';
import { RootKeyring } from './root-keyring.ts';
import { announceNext, readNext, rootKeyLock, rotationTarget } from './rotation-high-water.ts';
import { storedIntegrityKey, wrongRootKey } from './unlock.ts';

export interface RotationOptions {
  readonly store: RotationStore;
  /** Holds the present root key of the database. */
  readonly from: RootKeyProvider;
  /** Makes or holds the next root key of the database: `nextFileRootKey` or `passphraseRootKey`. */
  readonly to: RootKeyProvider;
  /** Called after each durable batch with the number of data keys that this run has rewrapped so far. */
  readonly onProgress?: (rewrapped: number) => void;
  /** Called once if serving processes do not have the new root key yet. */
  readonly onWaiting?: (rootKeyId: string) => void;
  readonly batchSize?: number;
}

export type RotationStore = Pick<Store, 'vault' | 'lockInstallation' | 'tryNamedLock'>;

/** The result of a rotation. */
export interface Rotation {
  readonly fromId: string;
  readonly toId: string;
  /** Data keys that this run rewrapped. Fewer than all if an earlier run was interrupted. */
  readonly rewrapped: number;
}

/**
 * Replaces the root key of the database: wraps every organization's data key again, then the integrity key, and changes no other row.
 * Servers may run, on any node. The process may die at any point: the next run with the same providers continues.
 *
 * INVARIANT: both root keys are durable, every serving process has both, and the target is marked, before the first key is rewrapped. From the
 * mark on, no commit stores a data key under the old root key. The integrity key names the root key of the database, so it moves last,
 * after every data key. The old root key is retired after that, and never deleted.
 */
export async function rotateRootKey(options: RotationOptions): Promise<Rotation> {
  const { store, from, to } = options;
  const release = await lockRotation(store);
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

/** Excludes other rotations, and maintenance that needs all servers stopped. */
export async function lockRotation(store: RotationStore): Promise<() => Promise<void>> {
  const leave = await store.lockInstallation('shared');
  const unlock = await store.tryNamedLock('rotation', 'exclusive');
  if (unlock === undefined) {
    await leave();
    throw new VaultError('another rotation is in progress', 'wait until it has finished');
  }
  return async () => {
    // Rejects if the lock was lost.
    await unlock().finally(leave);
  };
}

const RETRY_MS = 200;

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
      await this.#moveIntegrityKey(target, integrityKey, fromId);
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
    const begun = await rotationTarget(this.#vault, fromId).read();
    const id = begun ?? (await this.#announce(fromId));
    const target = await this.#targets.find(id);
    if (target === undefined) {
      throw new VaultError(
        `a rotation from root key ${fromId} to ${id} has begun, but ${to.source} does not provide root key ${id}`,
        'run the rotation with the root key that it began with',
      );
    }
    if (begun === undefined) await this.#begin(fromId, id);
    return target;
  }

  /** The key that serving processes were asked to load, by this or an earlier run. */
  async #announce(fromId: string): Promise<string> {
    const next = await readNext(this.#vault);
    if (next?.from === fromId) return next.to;
    const created = await this.#options.to.create();
    created.wipe();
    await announceNext(this.#vault, { from: fromId, to: created.id });
    return created.id;
  }

  /** Waits until every serving process has the new root key, then marks it as the one that wraps. */
  async #begin(fromId: string, toId: string): Promise<void> {
    const { store, onWaiting } = this.#options;
    for (let tries = 0; ; tries++) {
      const release = await store.tryNamedLock(rootKeyLock(fromId), 'exclusive');
      if (release !== undefined) {
        await rotationTarget(this.#vault, fromId)
          .raise(toId)
          .catch(async (error: unknown) => {
            await release();
            throw error;
          });
        // A process that starts now reads the mark, so the lock is not used again.
        await release(true);
        return;
      }
      if (tries === 0) onWaiting?.(toId);
      await sleep(RETRY_MS);
    }
  }

  /** INVARIANT: a rotation wraps the integrity key again and never replaces it. Every MAC in the database depends on it. */
  async #moveIntegrityKey(target: RootKey, key: Secret, fromId: string): Promise<void> {
    const next = await wrapIntegrityKey(target, key, fromId);
    const opened = await unwrapIntegrityKey(target, parseIntegrityKey(next));
    const isSame = Buffer.compare(opened.bytes, key.bytes) === 0;
    opened.wipe();
    if (!isSame) throw changed('the integrity key');
    const before = await this.#vault.setting(next.name);
    const isMoved = before !== undefined && parseIntegrityKey(before).rootKeyId === fromId;
    if (!isMoved || !(await this.#vault.replaceSetting(next, before.body)))
      throw new VaultError('another process changed the integrity key', 'run the rotation again');
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
      const keys = rows.map(async (from) => ({ from, to: await this.#rewrap(from, target) }));
      await this.#vault.replaceDataKeys(await Promise.all(keys));
      rewrapped += rows.length;
      onProgress?.(rewrapped);
    }
  }

  async #rewrap(row: DataKeyRow, target: RootKey): Promise<DataKeyRow> {
    const keys = await DataKeys.open(await this.#sources.get(row.rootKeyId), row);
    try {
      const next = await keys.wrap(target, row.organizationId);
      const opened = await DataKeys.open(target, next);
      const isSame = opened.equals(keys);
      opened.wipe();
      if (!isSame) throw changed('a data key');
      return next;
    } finally {
      keys.wipe();
    }
  }
}

function changed(what: string): VaultError {
  return new VaultError(`${what} changed while it was rewrapped`, 'check this machine: its memory or processor computes wrongly');
}
