import { organizationKey, organizationValue, readHeadsExtension, verifyMapPath } from '@countersign/tlog';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { AuditError, must } from '../audit-error.ts';
import type { HeadLine } from '../format/lines.ts';
import type { Head } from '../heads.ts';
import { asAuditError, type LogKeys, type SeenTree } from '../log-keys.ts';

/** The end of the leaves in a file. */
export interface LastLeaf {
  readonly organizationId: string;
  /** 0 and empty if the organization has no leaf of its own. */
  readonly sequence: number;
  readonly leafHash: string;
  /** Undefined if the last leaf does not name the head. */
  readonly head: Head | undefined;
  /** Leaves of the log up to this one. */
  readonly size: number;
}

/** A checkpoint that names the last leaf of a file as the newest of its organization. */
export interface ProvenHead {
  readonly size: number;
  readonly version: number;
  /** Trusted witnesses that cosigned this checkpoint. They do not check the head map. */
  readonly witnesses: readonly string[];
}

/**
 * Checks that the head map of a signed checkpoint names this leaf as the newest of the organization. Throws AuditError otherwise.
 * SECURITY: D262: without this, the newest leaves could be replaced by the hashes of their subtrees.
 */
export function verifyHead(proof: HeadLine, last: LastLeaf, keys: LogKeys, tree: SeenTree): ProvenHead {
  const signed = keys.openHead(proof.checkpoint);
  must(signed.size >= last.size, 'the checkpoint of the newest leaf is older than the leaves');
  const mapRoot = asAuditError(() => readHeadsExtension(signed));
  if (mapRoot === undefined) throw new AuditError('the checkpoint of the newest leaf does not commit to heads');
  must(signed.size !== tree.size || bytesToHex(signed.root) === bytesToHex(tree.root), 'the two checkpoints show different logs');
  const { version, digest } = headOf(proof, last);
  const { organizationId, sequence, leafHash } = last;
  const verdict = verifyMapPath(mapRoot, organizationKey(organizationId), proof.nodes.map(hexToBytes));
  if (!verdict.ok) throw new AuditError(`the proof of the newest leaf does not verify: ${verdict.reason}`);
  must(verdict.value !== undefined, 'the proof of the newest leaf shows that the organization does not exist');
  const expected = organizationValue({ organizationId, sequence, leafHash, headVersion: version, headDigest: digest });
  must(
    bytesToHex(verdict.value) === bytesToHex(expected),
    'the checkpoint names another leaf as the newest of the organization: leaves are missing at the end',
  );
  return { size: signed.size, version, witnesses: signed.witnesses };
}

/** The head as the last leaf names it. A leaf of version 1 does not, so the proof does. */
function headOf({ headVersion, headDigest }: HeadLine, { head }: LastLeaf): Head {
  if (head !== undefined) {
    must(headVersion === undefined && headDigest === undefined, 'the head of the organization is given twice');
    return head;
  }
  if (headVersion === undefined || headDigest === undefined) throw new AuditError('the head of the organization is missing');
  return { version: headVersion, digest: headDigest };
}
