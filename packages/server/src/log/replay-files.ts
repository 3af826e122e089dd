import { constants } from 'node:fs';
import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { macsEqual } from '../vault/integrity/integrity.ts';
import type { Integrity } from '../vault/vault.ts';
import { PART_BYTES, ReplayPart } from './replay-part.ts';

const MAC_BYTES = 32;
const SLOT_BYTES = MAC_BYTES + PART_BYTES;
/** Parts per file: 65,536 leaves, 1 MB. */
export const FILE_PARTS = 256;
/** Files to keep. Together they have more leaves than a start reads. */
const MAX_FILES = 17;
const FILE = /^[0-9]{12}$/;

/** The parts in one file. */
export interface StoredParts {
  /** A stored part, if it is authentic. `node` is the verified node of the tree over its leaves. */
  read(part: number, node: Uint8Array): ReplayPart | undefined;
}

/**
 * The replay parts of the end of the log, in the data directory. A part has a fixed place in a file, and its bytes follow from the log,
 * so any number of processes may write the same part at any time.
 * INVARIANT: nothing here is needed. A part that is missing, half written or changed is read from the log again. Writes are not flushed.
 */
export class ReplayFiles {
  readonly #directory: string;
  readonly #integrity: Pick<Integrity, 'replayKeys'>;
  readonly #onError: (error: unknown) => void;
  #isOff = false;
  #newestFile = -1;

  /** `onError` is called once, if files cannot be written. */
  constructor(directory: string, integrity: Pick<Integrity, 'replayKeys'>, onError: (error: unknown) => void) {
    this.#directory = directory;
    this.#integrity = integrity;
    this.#onError = onError;
  }

  /**
   * The stored parts of the file that has a part.
   * SECURITY: D527: the MAC covers the number of a part and the node over its leaves. So a part that was edited, moved, or written by
   * another installation is not used. D528: nor is one of a history that was lost since. An older part of the same leaves cannot exist.
   */
  async stored(anyPart: number): Promise<StoredParts> {
    // A file that cannot be read is as good as none.
    const bytes = await readFile(this.#path(fileOf(anyPart))).catch(() => Buffer.alloc(0));
    return {
      read: (part, node) => {
        const slot = bytes.subarray(placeOf(part), placeOf(part) + SLOT_BYTES);
        if (slot.length < SLOT_BYTES) return undefined;
        const content = slot.subarray(MAC_BYTES);
        const isAuthentic = macsEqual(this.#integrity.replayKeys(part, node, content), slot.subarray(0, MAC_BYTES));
        return isAuthentic ? new ReplayPart(content) : undefined;
      },
    };
  }

  /** Stores a part whose leaves are verified. After an error it stores no more: the next start is slower then, and nothing else. */
  async write(part: number, node: Uint8Array, { bytes }: ReplayPart): Promise<void> {
    if (this.#isOff) return;
    try {
      if (fileOf(part) > this.#newestFile) await this.#startFile(fileOf(part));
      const file = await open(this.#path(fileOf(part)), constants.O_WRONLY | constants.O_CREAT, 0o600);
      try {
        const slot = Buffer.concat([this.#integrity.replayKeys(part, node, bytes), bytes]);
        await file.write(slot, 0, SLOT_BYTES, placeOf(part));
      } finally {
        await file.close();
      }
    } catch (error) {
      this.#isOff = true;
      this.#onError(error);
    }
  }

  async #startFile(number: number): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const outdated = (await readdir(this.#directory)).filter((name) => FILE.test(name) && Number(name) <= number - MAX_FILES);
    for (const name of outdated) await rm(join(this.#directory, name), { force: true });
    this.#newestFile = number;
  }

  #path(number: number): string {
    return join(this.#directory, String(number).padStart(12, '0'));
  }
}

const fileOf = (part: number) => Math.floor(part / FILE_PARTS);
const placeOf = (part: number) => (part % FILE_PARTS) * SLOT_BYTES;
