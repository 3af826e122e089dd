import { shardIn } from '@countersign/contract';
import { formatVerifierKey, leafHash, parseShardEntry, verifyConsistency, verifyInclusion } from '@countersign/tlog';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { AuditError, must } from '../audit-error.ts';
import { asAuditError, type LogKeys, readKeys, type SeenTree } from '../log-keys.ts';
import { utf8 } from '../text.ts';

/** The format of root proofs. */
export const ROOT_PROOF_FORMAT = 'countersign-root-proof-1';

const hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be 32 bytes in lower-case hexadecimal');
const count = z.int().min(0);

const shape = z.strictObject({
  format: z.literal(ROOT_PROOF_FORMAT),
  /** The signed checkpoint of the root log. */
  rootCheckpoint: z.string(),
  index: count,
  /** From the entry to the root of the root log (RFC 6962 section 2.1.1). */
  inclusion: z.array(hash),
  /** The data of the leaf, as text. */
  entry: z.string(),
  /** From the checkpoints of an audit file, by their sizes, to the tree of the entry (RFC 6962 section 2.1.2). */
  consistency: z.array(z.strictObject({ size: count, hashes: z.array(hash) })),
});

/** Leads from the checkpoints of one audit file to the root log of an installation with shards. */
export type RootProof = z.output<typeof shape>;

/** What a reader trusts who knows the root log: the key of the log of a shard is in the proof. */
export interface RootTrust {
  readonly root: {
    /** The key of the root log. */
    readonly key: string;
    /** The proof, as JSON. */
    readonly proof: string;
  };
  /** The keys of witnesses. All of them must have cosigned the root log. */
  readonly witnessKeys?: readonly string[];
}

/** An entry of a root log. */
export interface ProvenEntry {
  readonly origin: string;
  readonly size: number;
  readonly index: number;
  readonly shard: number;
  readonly witnesses: readonly string[];
}

/** Opens checkpoints of a shard's log, if they are part of the tree in the root log. */
export interface RootedKeys extends LogKeys {
  readonly entry: ProvenEntry;
  /** Throws AuditError unless the id of the organization names the shard of the entry. */
  requireShard(organizationId: string): void;
}

/** Verifies the proof up to its entry. Throws AuditError unless the root log and every witness signed it. */
export function readRoot({ root: { key, proof: text }, witnessKeys = [] }: RootTrust): RootedKeys {
  const proof = parse(text);
  const root = readKeys({ logKey: key, witnessKeys }).open(proof.rootCheckpoint);
  const leaf = utf8(proof.entry);
  const claim = { index: proof.index, size: root.size, leafHash: leafHash(leaf), root: root.root };
  const included = verifyInclusion(claim, proof.inclusion.map(hexToBytes));
  if (!included.ok) throw new AuditError(`the entry is not in the root log: ${included.reason}`);
  const { shard, key: shardKey, tree } = asAuditError(() => parseShardEntry(leaf));
  const logKey = formatVerifierKey(shardKey);
  // One key for both logs, or for a witness and a log, would vouch for itself.
  readKeys({ logKey, witnessKeys: [key, ...witnessKeys] });
  const keys = readKeys({ logKey });

  /** SECURITY: D571: every checkpoint of the file is part of the tree that the root log has. */
  function within(seen: SeenTree): SeenTree {
    must(seen.size <= tree.size, 'the checkpoint is newer than the entry of the root log: fetch a newer root proof');
    if (seen.size === tree.size) {
      must(bytesToHex(seen.root) === bytesToHex(tree.root), 'the root log has another history of this shard');
      return seen;
    }
    const given = proof.consistency.find(({ size }) => size === seen.size);
    must(given !== undefined, 'the root proof is for another file: it does not cover the checkpoint');
    const change = { oldSize: seen.size, oldRoot: seen.root, newSize: tree.size, newRoot: tree.root };
    const consistent = verifyConsistency(change, given.hashes.map(hexToBytes));
    if (!consistent.ok) throw new AuditError(`the root log has another history of this shard: ${consistent.reason}`);
    return seen;
  }

  return {
    entry: { origin: root.origin, size: root.size, index: proof.index, shard, witnesses: root.witnesses },
    open: (checkpoint) => within(keys.open(checkpoint)),
    openHead: (checkpoint) => within(keys.openHead(checkpoint)),
    requireShard(organizationId) {
      // SECURITY: D573: the log of another shard must not hold a second history of the organization.
      const own = shardIn(organizationId) ?? 0;
      must(own === shard, `the organization belongs to shard ${own}, and the root proof is for shard ${shard}`);
    },
  };
}

function parse(text: string): RootProof {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AuditError('the root proof is not JSON');
  }
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new AuditError(`the root proof is malformed: ${issue?.path.join('.') || 'proof'}: ${issue?.message}`);
}
