import {
  consistencyProof,
  cosignatureVerifier,
  ed25519Verifier,
  openCheckpoint,
  TlogError,
  verifyConsistency,
} from '@countersign/tlog';
import type { WitnessSetting } from '../../config/witnesses.ts';
import type { Store } from '../../store/store.ts';
import { originHash } from '../../witness/witness-storage.ts';
import { witnessAhead, witnessDisagrees } from '../log-error.ts';
import { type Tree, treeReader } from '../tree.ts';
import { fetchText, WitnessUnreachable } from './witness-fetch.ts';

/** The newest checkpoint that a witness has cosigned of a log. Undefined if it has none, or does not show it. */
async function newestAtWitness(
  { url, key }: WitnessSetting,
  origin: string,
  logKey: Uint8Array,
): Promise<(Tree & { readonly checkpoint: string }) | undefined> {
  const { status, text } = await fetchText(`${url}/${originHash(origin)}/checkpoint`);
  if (status === 404) return undefined;
  if (status !== 200) throw new WitnessUnreachable(`it responded with ${status}`);
  try {
    // SECURITY: both signatures are required. The log's proves that it is its tree, the witness's that the witness sent it.
    openCheckpoint(text, origin, [cosignatureVerifier(key)]);
    const log = ed25519Verifier({ name: origin, type: 'ed25519', publicKey: logKey });
    const { size, root } = openCheckpoint(text, origin, [log]);
    return { size, root, checkpoint: text };
  } catch (error) {
    if (error instanceof TlogError) throw new WitnessUnreachable(`its checkpoint does not verify: ${error.message}`);
    throw error;
  }
}

/**
 * Compares the stored log with a witness, without changes. Returns the number of entries that the witness has cosigned, undefined if
 * none. Throws LogError if it has more or another history, and WitnessUnreachable if it does not respond.
 */
export async function compareWithWitness(
  store: Pick<Store['log'], 'tiles'>,
  witness: WitnessSetting,
  origin: string,
  logKey: Uint8Array,
  tree: Tree,
): Promise<number | undefined> {
  const seen = await newestAtWitness(witness, origin, logKey);
  if (seen === undefined) return undefined;
  const { name } = witness.key;
  if (seen.size > tree.size) throw witnessAhead(name, seen.size, tree.size);
  const proof = await consistencyProof(seen.size, tree.size, treeReader(store, tree));
  const claim = { oldSize: seen.size, oldRoot: seen.root, newSize: tree.size, newRoot: tree.root };
  if (!verifyConsistency(claim, proof).ok) throw witnessDisagrees(name, tree.size);
  return seen.size;
}
