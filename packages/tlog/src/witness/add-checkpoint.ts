import { fromBase64, toBase64, utf8Bytes } from '../bytes.ts';
import { TlogError } from '../errors.ts';
import { HASH_BYTES, isHashList } from '../merkle/hash.ts';
import { requireCount } from '../merkle/place.ts';
import { MAX_NOTE_BYTES } from '../notes/note.ts';

/** What a log asks of a witness: to cosign a checkpoint that extends the tree which the witness cosigned last. */
export interface AddCheckpoint {
  /** The size of the tree that the witness has. 0 if it has none. */
  readonly oldSize: number;
  /** The consistency proof from that size to the checkpoint's. */
  readonly proof: readonly Uint8Array[];
  /** The signed note. */
  readonly checkpoint: string;
}

/** The path below the witness's submission prefix. */
export const ADD_CHECKPOINT_PATH = 'add-checkpoint';

/** The type of an answer that is a tree size. */
export const TREE_SIZE_TYPE = 'text/x.tlog.size';

/** The longest proof that a log may send. */
const MAX_PROOF_HASHES = 63;
const SIZE = /^(?:0|[1-9][0-9]{0,15})$/;

/** The body of a request (C2SP tlog-witness, "add-checkpoint"). Throws TlogError for what `parseAddCheckpoint` would refuse. */
export function formatAddCheckpoint({ oldSize, proof, checkpoint }: AddCheckpoint): string {
  requireCount(oldSize, 'the old tree size');
  if (!isHashList(proof) || proof.length > MAX_PROOF_HASHES)
    throw new TlogError(`a proof is a list of at most ${MAX_PROOF_HASHES} hashes`);
  return `${[`old ${oldSize}`, ...proof.map(toBase64)].join('\n')}\n\n${checkpoint}`;
}

/** Reads the body of a request. The checkpoint in it is not looked at. Throws TlogError for another text. */
export function parseAddCheckpoint(body: string): AddCheckpoint {
  if (utf8Bytes(body).length > MAX_NOTE_BYTES) throw new TlogError('the request is too large');
  // Neither the old size nor a hash is an empty line, so the first one ends the proof.
  const split = body.indexOf('\n\n');
  if (split < 0) throw new TlogError('the request has no empty line between the proof and the checkpoint');
  const [first = '', ...hashes] = body.slice(0, split).split('\n');
  const oldSize = first.startsWith('old ') ? parseTreeSize(first.slice('old '.length)) : undefined;
  if (oldSize === undefined) throw new TlogError('the request does not begin with the old tree size');
  if (hashes.length > MAX_PROOF_HASHES) throw new TlogError(`a proof has at most ${MAX_PROOF_HASHES} hashes`);
  const proof = hashes.map((line) => {
    const hash = fromBase64(line);
    if (hash?.length !== HASH_BYTES) throw new TlogError(`a line of the proof is not base64 of ${HASH_BYTES} bytes`);
    return hash;
  });
  return { oldSize, proof, checkpoint: body.slice(split + 2) };
}

/** A tree size in decimal, without leading zeros. Undefined for another text. */
export function parseTreeSize(text: string): number | undefined {
  const size = SIZE.test(text) ? Number(text) : undefined;
  return size !== undefined && Number.isSafeInteger(size) ? size : undefined;
}
