import { shardIn } from '@countersign/contract';
import {
  consistencyProof,
  inclusionProof,
  parseCheckpoint,
  parseNote,
  parseShardEntry,
  TILE_WIDTH,
  TlogError,
  verifiedTileReader,
} from '@countersign/tlog';
import { bytesToHex } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { AuditError, must } from '../audit-error.ts';
import { readHeader, readLine } from '../format/lines.ts';
import { type FetchPage, readBundle, tilesOf } from './log-pages.ts';
import { ROOT_PROOF_FORMAT, type RootProof } from './root-proof.ts';

/** The first and the last line of an audit file. */
export interface FileEnds {
  readonly first: string;
  readonly last: string;
}

const newest = z.object({ index: z.int().min(0), checkpoint: z.string() });

/**
 * Makes the proof that leads from an audit file to the root log. Throws AuditError if the pages do not fit together, or the root log does
 * not have the checkpoints of the file yet. Who receives the proof verifies it.
 */
export async function buildRootProof({ first, last }: FileEnds, root: FetchPage, shard: FetchPage): Promise<RootProof> {
  try {
    const { organizationId } = readHeader(first);
    return await build(shardIn(organizationId) ?? 0, checkpointSizes(last), root, shard);
  } catch (error) {
    if (error instanceof TlogError || error instanceof z.ZodError || error instanceof SyntaxError)
      throw new AuditError(`the logs do not fit together: ${error.message}`, { cause: error });
    throw error;
  }
}

function checkpointSizes(last: string): readonly number[] {
  const line = readLine(last);
  if (!('end' in line)) throw new AuditError('the file has no end');
  const { checkpoint, head } = line.end;
  return [checkpoint, ...(head === undefined ? [] : [head.checkpoint])].map((note) => parseCheckpoint(parseNote(note).text).size);
}

async function build(number: number, sizes: readonly number[], root: FetchPage, shard: FetchPage): Promise<RootProof> {
  const { index, checkpoint } = newest.parse(JSON.parse(new TextDecoder().decode(await root(`shards/${number}`))));
  const rootTree = parseCheckpoint(parseNote(checkpoint).text);
  const entry = await readEntry(index, rootTree.size, root);
  const { tree } = parseShardEntry(entry);
  must(
    sizes.every((size) => size <= tree.size),
    () => `the root log has ${tree.size} leaves of shard ${number}, and the file leads to ${Math.max(...sizes)}`,
  );
  const inShard = verifiedTileReader(tree.size, tree.root, tilesOf(shard));
  const consistency: RootProof['consistency'] = [];
  for (const size of new Set(sizes.filter((each) => each < tree.size)))
    consistency.push({ size, hashes: (await consistencyProof(size, tree.size, inShard)).map(bytesToHex) });
  const inRoot = verifiedTileReader(rootTree.size, rootTree.root, tilesOf(root));
  const inclusion = (await inclusionProof(index, rootTree.size, inRoot)).map(bytesToHex);
  return {
    format: ROOT_PROOF_FORMAT,
    rootCheckpoint: checkpoint,
    index,
    inclusion,
    entry: new TextDecoder().decode(entry),
    consistency,
  };
}

async function readEntry(index: number, size: number, fetchPage: FetchPage): Promise<Uint8Array> {
  const entries = await readBundle(Math.floor(index / TILE_WIDTH), size, fetchPage);
  const entry = entries[index % TILE_WIDTH];
  if (entry === undefined) throw new TlogError('the root log does not have the entry that it names');
  return entry;
}
