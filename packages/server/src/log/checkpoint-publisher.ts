import type { VaultService } from '../vault/vault.ts';
import { signCheckpoint } from './checkpoint.ts';
import { checkpointFile, type SeenCheckpoint } from './checkpoint-file.ts';
import type { MappedTree } from './tree.ts';
import type { SignedTree } from './witness/witness-client.ts';

/** How often a growing log is signed and recorded in the data directory. */
const PUBLISH_MS = 1_000;

/** Signs the tree of the log. Records each checkpoint in files, so that a later start detects an older database. */
export class CheckpointPublisher {
  readonly #service: VaultService;
  readonly #files: readonly ReturnType<typeof checkpointFile>[];
  readonly #clock: { nowMs(): number };
  #published: SignedTree | undefined;
  #publishedAtMs = Number.NEGATIVE_INFINITY;

  constructor(service: VaultService, paths: readonly string[], clock: { nowMs(): number }) {
    this.#service = service;
    this.#files = paths.map((path) => checkpointFile(path, service.logKey));
    this.#clock = clock;
  }

  /** Undefined before the first checkpoint. */
  get published(): SignedTree | undefined {
    return this.#published;
  }

  isDue(): boolean {
    return performance.now() - this.#publishedAtMs >= PUBLISH_MS;
  }

  /** Publishes a tree. Returns false if it has not grown. INVARIANT: a checkpoint is recorded before it is published. */
  async publish(origin: string, tree: MappedTree): Promise<boolean> {
    if (this.#published?.size === tree.size) return false;
    const atMs = this.#clock.nowMs();
    const checkpoint = await signCheckpoint(this.#service, origin, tree);
    for (const file of this.#files) await file.raise({ atMs, checkpoint });
    this.#published = { ...tree, checkpoint };
    this.#publishedAtMs = performance.now();
    return true;
  }

  /** The recorded checkpoints, newest first. */
  async recorded(): Promise<readonly SeenCheckpoint[]> {
    const checkpoints = await Promise.all(this.#files.map((file) => file.read()));
    return checkpoints.filter((each) => each !== undefined).sort((left, right) => right.size - left.size);
  }
}
