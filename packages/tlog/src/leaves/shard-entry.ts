import { utf8Bytes } from '../bytes.ts';
import { TlogError } from '../errors.ts';
import { type Checkpoint, parseCheckpoint } from '../notes/checkpoint.ts';
import { formatVerifierKey, parseVerifierKey, type VerifierKey } from '../notes/key.ts';

/** An entry of a root log: a checkpoint of the log of one shard. */
export interface ShardEntry {
  /** The number of the shard. */
  readonly shard: number;
  /** The verifier key of the shard's log. Its name is the origin of the checkpoint. */
  readonly key: VerifierKey;
  /** The text of the checkpoint, without signatures. */
  readonly text: string;
}

const HEADER = 'countersign/shard/v1';
const ENTRY = /^([^\n]*)\n(0|[1-9][0-9]{0,8})\n([^\n]*)\n(.*\n)$/s;

/** The data of an entry's leaf. Throws TlogError for what `parseShardEntry` would refuse. */
export function formatShardEntry({ shard, key, text }: ShardEntry): Uint8Array {
  const bytes = utf8Bytes(`${HEADER}\n${shard}\n${formatVerifierKey(key)}\n${text}`);
  parseShardEntry(bytes);
  return bytes;
}

/** Reads what `formatShardEntry` writes, and the tree of the checkpoint. Throws TlogError for anything else. */
export function parseShardEntry(bytes: Uint8Array): ShardEntry & { readonly tree: Checkpoint } {
  let source: string;
  try {
    source = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new TlogError('the entry is not UTF-8');
  }
  const [, header, shard = '', keyText = '', text = ''] = ENTRY.exec(source) ?? [];
  if (header !== HEADER) throw new TlogError('this is not the entry of a shard');
  const key = parseVerifierKey(keyText);
  if (key.type !== 'ed25519') throw new TlogError('the key of the entry is not that of a log');
  const tree = parseCheckpoint(text);
  if (tree.origin !== key.name) throw new TlogError('the checkpoint of the entry is of another log than its key');
  return { shard: Number(shard), key, text, tree };
}
