import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { DataKeyRow } from '../store/rows.ts';
import { generationOf, withGeneration, withoutGeneration } from '../store/sealed-bytes.ts';
import type { Value } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import { outbox, secrets } from '../store/tables.ts';
import { DataKeys } from './data-key.ts';
import { notAuthentic, type Purpose, purposes, seal, tryUnseal } from './envelope.ts';
import { VaultError } from './errors.ts';
import { Secret } from './keys/secret.ts';
import type { RootKeyProvider } from './root-key/root-key.ts';
import { RootKeyring } from './root-key/root-keyring.ts';
import { lockRotation, type RotationStore } from './root-key/rotate-root-key.ts';
import { rotationTarget } from './root-key/rotation-high-water.ts';
import { storedIntegrityKey, wrongRootKey } from './root-key/unlock.ts';

/** What a rotation of data keys has done so far. */
export interface DataKeyProgress {
  /** Organizations with a new data key. */
  readonly dataKeys: number;
  /** Secrets and messages that were encrypted again. */
  readonly secrets: number;
}

export interface DataKeyRotationOptions {
  readonly store: RotationStore & Pick<Store, 'recode'>;
  readonly rootKeys: RootKeyProvider;
  /** Called after each durable batch. */
  readonly onProgress?: (progress: DataKeyProgress) => void;
  readonly batchSize?: number;
  /** How long old data keys stay after the last secret was encrypted again. */
  readonly settleMs?: number;
}

/** A finished rotation of data keys. The numbers are those of this run, so fewer than all if an earlier run was interrupted. */
export interface DataKeyRotation extends DataKeyProgress {
  readonly generation: number;
}

const SETTING = 'vault.data-key-rotation';
const body = z.strictObject({ version: z.literal(1), generation: z.int().positive().max(0xffff_ffff), ended: z.boolean() });
type State = Omit<z.infer<typeof body>, 'version'>;

/** Longer than a process needs to open what it has read. */
const SETTLE_MS = 2_000;

/**
 * Gives every organization a new data key, and encrypts its secrets again. Servers may run, on any node. The process may die at any point: the
 * next run continues.
 *
 * INVARIANT: a new data key is stored together with the one before it, and from then on no commit stores a secret under the old key. The old key is
 * removed after a whole pass found no secret under it.
 */
export async function rotateDataKeys(options: DataKeyRotationOptions): Promise<DataKeyRotation> {
  const release = await lockRotation(options.store);
  const run = new Run(options);
  let rotation: DataKeyRotation;
  try {
    rotation = await run.rotate();
  } catch (error) {
    // The first error is more useful than a lost lock.
    await release().catch(() => {});
    throw error;
  } finally {
    run.wipe();
  }
  await release();
  return rotation;
}

class Run {
  readonly #options: DataKeyRotationOptions;
  readonly #vault: Store['vault'];
  readonly #rootKeys: RootKeyring;
  #progress: DataKeyProgress = { dataKeys: 0, secrets: 0 };

  constructor(options: DataKeyRotationOptions) {
    this.#options = options;
    this.#vault = options.store.vault;
    this.#rootKeys = new RootKeyring(options.rootKeys);
  }

  async rotate(): Promise<DataKeyRotation> {
    await this.#requireRootKey();
    const generation = await this.#begin();
    await this.#replaceKeys(generation);
    await this.#untilNothingIsOld();
    await sleep(this.#options.settleMs ?? SETTLE_MS);
    await this.#untilNothingIsOld();
    await this.#removePrevious();
    await this.#end(generation);
    return { generation, ...this.#progress };
  }

  wipe(): void {
    this.#rootKeys.wipe();
  }

  /** An unfinished rotation of the root key comes first: data keys are wrapped by one of two keys then. */
  async #requireRootKey(): Promise<void> {
    const stored = await storedIntegrityKey(this.#vault);
    if (stored === undefined) throw new VaultError('this database has no root key yet', 'start the service once, then rotate');
    const { rootKeyId } = stored;
    if ((await this.#rootKeys.find(rootKeyId)) === undefined) throw await wrongRootKey(this.#options.rootKeys, rootKeyId);
    if ((await rotationTarget(this.#vault, rootKeyId).read()) !== undefined)
      throw new VaultError('a rotation of the root key has not finished', "finish it with 'countersign vault rotate' first");
  }

  /** The generation of an interrupted run, or a new one. */
  async #begin(): Promise<number> {
    const setting = await this.#vault.setting(SETTING);
    const state = setting && parse(setting.body);
    if (state?.ended === false) return state.generation;
    const generation = (state?.generation ?? 0) + 1;
    await this.#write({ generation, ended: false }, setting?.body);
    return generation;
  }

  async #end(generation: number): Promise<void> {
    const setting = await this.#vault.setting(SETTING);
    await this.#write({ generation, ended: true }, setting?.body);
  }

  async #write(state: State, expected: string | undefined): Promise<void> {
    const content: z.input<typeof body> = { version: 1, ...state };
    if (await this.#vault.replaceSetting({ name: SETTING, body: JSON.stringify(content) }, expected)) return;
    throw new VaultError('another process rotates data keys', 'run the rotation again');
  }

  async #replaceKeys(generation: number): Promise<void> {
    await this.#eachKey(
      (afterId, limit) => this.#vault.dataKeysBelow(generation, limit, afterId),
      async (from) => {
        if (from.previous.length > 0)
          throw new VaultError(
            `organization ${from.organizationId} has two data keys of an earlier rotation: its row was altered`,
            'find out who changed the database, and restore the row from a backup',
          );
        const old = await this.#open(from);
        const next = new DataKeys(generation, new Secret(randomBytes(32)), old.present);
        try {
          return await this.#wrap(next, from);
        } finally {
          next.wipe();
        }
      },
      (count) => this.#add({ dataKeys: count, secrets: 0 }),
    );
  }

  async #removePrevious(): Promise<void> {
    await this.#eachKey(
      (afterId, limit) => this.#vault.dataKeysInPairs(limit, afterId),
      async (row) => ({ ...row, previous: new Uint8Array() }),
      () => {},
    );
  }

  /** INVARIANT: the last pass starts at the first row and changes nothing. */
  async #untilNothingIsOld(): Promise<void> {
    while (
      (await this.#encryptAgain(secrets, Object.values(purposes))) + (await this.#encryptAgain(outbox, [purposes.OUTBOX])) >
      0
    );
  }

  /** One pass. Returns how many rows were old. */
  async #encryptAgain(table: typeof secrets | typeof outbox, of: readonly Purpose[]): Promise<number> {
    const { store, batchSize = 100 } = this.#options;
    const at = table.columns.findIndex(({ name }) => name === 'ciphertext');
    let keys: { readonly organizationId: string; readonly keys: DataKeys | undefined } | undefined;
    let count = 0;
    try {
      for (let after: readonly Value[] | undefined; ; ) {
        const rows = await store.recode.rowsAfter(table, after, batchSize);
        const changes: { key: readonly Value[]; from: Uint8Array; to: Uint8Array }[] = [];
        for (const row of rows) {
          const [organizationId, id, sealed] = [row[0] as string, row[1] as string, row[at] as Uint8Array];
          if (keys?.organizationId !== organizationId) {
            keys?.keys?.wipe();
            keys = { organizationId, keys: await this.#keysOf(organizationId) };
          }
          if (keys.keys === undefined || generationOf(sealed) === keys.keys.generation) continue;
          changes.push({ key: [organizationId, id], from: sealed, to: sealAgain(keys.keys, { organizationId, id }, sealed, of) });
        }
        if (changes.length > 0) await store.recode.replace(table, 'ciphertext', changes);
        count += changes.length;
        if (changes.length > 0) this.#add({ dataKeys: 0, secrets: changes.length });
        const last = rows.at(-1);
        if (last === undefined || rows.length < batchSize) return count;
        after = last.slice(0, table.key.length);
      }
    } finally {
      keys?.keys?.wipe();
    }
  }

  async #eachKey(
    read: (afterId: string | undefined, limit: number) => Promise<readonly DataKeyRow[]>,
    change: (row: DataKeyRow) => Promise<DataKeyRow>,
    done: (count: number) => void,
  ): Promise<void> {
    const { batchSize = 100 } = this.#options;
    for (let afterId: string | undefined; ; ) {
      const rows = await read(afterId, batchSize);
      const last = rows.at(-1);
      // The last pass starts again at the first organization, and must find nothing.
      if (last === undefined && afterId === undefined) return;
      afterId = last?.organizationId;
      if (last === undefined) continue;
      await this.#vault.replaceDataKeys(await Promise.all(rows.map(async (from) => ({ from, to: await change(from) }))));
      done(rows.length);
    }
  }

  /** Undefined if the organization was deleted. */
  async #keysOf(organizationId: string): Promise<DataKeys | undefined> {
    const row = await this.#vault.dataKey(organizationId);
    return row && this.#open(row);
  }

  async #open(row: DataKeyRow): Promise<DataKeys> {
    return DataKeys.open(await this.#rootKeys.get(row.rootKeyId), row);
  }

  /** Wraps new keys, and opens them again: a key that does not open must never be stored as the only copy. */
  async #wrap(keys: DataKeys, { rootKeyId, organizationId }: DataKeyRow): Promise<DataKeyRow> {
    const rootKey = await this.#rootKeys.get(rootKeyId);
    const row = await keys.wrap(rootKey, organizationId);
    const opened = await DataKeys.open(rootKey, row);
    const isSame = opened.equals(keys);
    opened.wipe();
    if (isSame) return row;
    throw new VaultError('a new data key did not unwrap', 'check this machine: its memory or processor computes wrongly');
  }

  #add({ dataKeys, secrets: count }: DataKeyProgress): void {
    this.#progress = { dataKeys: this.#progress.dataKeys + dataKeys, secrets: this.#progress.secrets + count };
    this.#options.onProgress?.(this.#progress);
  }
}

/** Opens a secret with the previous data key, and seals it with the present one. A row does not show its purpose, so each is tried. */
function sealAgain(
  { generation, present, previous }: DataKeys,
  place: { readonly organizationId: string; readonly id: string },
  sealed: Uint8Array,
  of: readonly Purpose[],
): Uint8Array {
  for (const purpose of previous === undefined ? [] : of) {
    const secret = tryUnseal(previous as Secret, withoutGeneration(sealed), { ...place, purpose });
    if (secret === undefined) continue;
    try {
      return withGeneration(generation, seal(present, secret.bytes, { ...place, purpose }));
    } finally {
      secret.wipe();
    }
  }
  throw notAuthentic({ ...place, purpose: purposes.WALLET });
}

function parse(text: string): State {
  try {
    return body.parse(JSON.parse(text));
  } catch (cause) {
    throw new VaultError(`the setting ${SETTING} is damaged`, 'restore it from a backup', { cause });
  }
}
