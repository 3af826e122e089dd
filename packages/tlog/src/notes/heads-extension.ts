import { fromBase64, toBase64 } from '../bytes.ts';
import { TlogError } from '../errors.ts';
import { HASH_BYTES, isHash } from '../merkle/hash.ts';
import type { Checkpoint } from './checkpoint.ts';

const NAME = 'countersign-heads-1';

/** The extension line of a checkpoint that commits to the root of the head map. */
export function headsExtension(mapRoot: Uint8Array): string {
  if (!isHash(mapRoot)) throw new TlogError(`the root of the head map must have ${HASH_BYTES} bytes`);
  return `${NAME} ${toBase64(mapRoot)}`;
}

/** The root of the head map that a checkpoint commits to. Undefined if it has none, as in earlier releases. */
export function readHeadsExtension({ extensions }: Pick<Checkpoint, 'extensions'>): Uint8Array | undefined {
  const lines = extensions.filter((line) => line === NAME || line.startsWith(`${NAME} `));
  const [line] = lines;
  if (line === undefined) return undefined;
  if (lines.length > 1) throw new TlogError(`the checkpoint has more than one line ${NAME}`);
  const root = fromBase64(line.slice(NAME.length + 1));
  if (root?.length !== HASH_BYTES) throw new TlogError(`${NAME} of the checkpoint is not base64 of ${HASH_BYTES} bytes`);
  return root;
}
