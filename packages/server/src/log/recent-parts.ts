import type { HashReader } from '@countersign/tlog';
import type { Store } from '../store/store.ts';
import type { Integrity } from '../vault/vault.ts';
import { leafVerifier, storedLeaves, type VerifyLeaves } from './leaves.ts';
import { orAltered } from './log-error.ts';
import { nativeNodeHash } from './native-hashes.ts';
import { FILE_PARTS, type ReplayFiles } from './replay-files.ts';
import { PART_LEAVES, ReplayPart } from './replay-part.ts';
import { type Tree, treeReader } from './tree.ts';

/** The level of the node over the leaves of a part. */
const PART_LEVEL = Math.log2(PART_LEAVES);

export interface PartSources {
  readonly store: Store['log'];
  readonly integrity: Integrity;
  readonly files: Pick<ReplayFiles, 'stored' | 'write'>;
}

/**
 * The parts at the end of the log, the newest first, up to the first one without a leaf younger than `sinceMs`: leaves are nearly in the
 * order of their times. At most `atMost` leaves, rounded up to whole parts. The first part may be incomplete.
 * INVARIANT: a part comes from leaves that were verified against the tree, now or by the process that stored it.
 */
export async function* recentParts(
  { store, integrity, files }: PartSources,
  tree: Tree,
  sinceMs: number,
  atMost: number,
): AsyncGenerator<ReplayPart> {
  const verify = leafVerifier(store, integrity, tree);
  const reader = treeReader(store, tree, nativeNodeHash);
  const complete = Math.floor(tree.size / PART_LEAVES);
  if (tree.size > complete * PART_LEAVES) {
    const part = await readPart({ store, integrity }, verify, complete, tree.size);
    yield part;
    if (part.newestMs < sinceMs) return;
  }
  const last = Math.max(0, Math.ceil((tree.size - atMost) / PART_LEAVES));
  for (let end = complete; end > last; ) {
    const start = Math.max(last, Math.floor((end - 1) / FILE_PARTS) * FILE_PARTS);
    const stored = await files.stored(start);
    const nodes = await nodesOf(reader, range(start, end));
    for (let number = end - 1; number >= start; number--) {
      const node = nodes[number - start] as Uint8Array;
      const known = stored.read(number, node);
      const part = known ?? (await readPart({ store, integrity }, verify, number, tree.size));
      if (known === undefined) await files.write(number, node, part);
      yield part;
      if (part.newestMs < sinceMs) return;
    }
    end = start;
  }
}

/** Stores complete parts of a tree whose leaves this process has verified or added. */
export async function writeParts(
  { store, files }: Pick<PartSources, 'store' | 'files'>,
  tree: Tree,
  parts: ReadonlyMap<number, ReplayPart>,
): Promise<void> {
  if (parts.size === 0) return;
  const nodes = await nodesOf(treeReader(store, tree, nativeNodeHash), [...parts.keys()]);
  for (const [at, [number, part]] of [...parts].entries()) await files.write(number, nodes[at] as Uint8Array, part);
}

/** The verified nodes over parts. */
function nodesOf(reader: HashReader, numbers: readonly number[]): Promise<readonly Uint8Array[]> {
  return orAltered(() => reader.read(numbers.map((index) => ({ level: PART_LEVEL, index }))));
}

const range = (start: number, end: number) => Array.from({ length: end - start }, (_, at) => start + at);

/** Reads the leaves of a part, and verifies them. Leaves in archive files are too old to matter. */
async function readPart(
  { store, integrity }: Pick<PartSources, 'store' | 'integrity'>,
  verify: VerifyLeaves,
  number: number,
  size: number,
): Promise<ReplayPart> {
  const part = new ReplayPart();
  const start = number * PART_LEAVES;
  const leaves = await storedLeaves(store, integrity, verify, start, Math.min(size, start + PART_LEAVES));
  for (const { row, opening } of leaves) part.add(row.leafIndex, opening);
  return part;
}
