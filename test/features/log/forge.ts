import { hash } from 'node:crypto';
import {
  appendLeaves,
  commitmentLeaf,
  emptyChain,
  emptyFrontier,
  emptyMapRoot,
  formatCheckpoint,
  formatNote,
  formatVerifierKey,
  frontierRoot,
  headsExtension,
  mapPath,
  organizationKey,
  organizationValue,
  type SignerKey,
  signNote,
  updateMap,
  verifierKeyOf,
} from '@countersign/tlog';
import { createAuditWriter } from '@countersign/verify';
import type { Json } from '../../support/caller.ts';
import { mended } from './audit-support.ts';
import { type ForgedHead, ForgedHeads } from './forge-heads.ts';

const key: SignerKey = { name: 'forged/log', type: 'ed25519', seed: new Uint8Array(32).fill(7) };

/** The key of the log that `forge` makes. */
export const forgedLogKey = formatVerifierKey(verifierKeyOf(key));

const digestOf = (value: unknown) => (value === undefined || value === null ? '' : hash('sha256', JSON.stringify(value)));

export interface ForgeOptions {
  /** Writes all leaves in this version: 1 as an earlier release did, 2 with heads. As they are by default. */
  readonly version?: 1 | 2;
}

/**
 * What somebody makes of an audit file who holds the key of the log: `change` may do anything to its leaves, or give others. Digests, salts,
 * the chain, heads and the tree are made anew so that they fit. A decision that is not shown keeps its digest.
 */
export function forge(text: string, change: (leaves: Json[]) => unknown, { version }: ForgeOptions = {}): string {
  const [header, ...lines] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const given: Json[] = lines.slice(0, -1);
  const votes = new Map(given.map((leaf) => [leaf, JSON.stringify(leaf.content?.vote)]));
  const made = change(given);
  const all: Json[] = Array.isArray(made) ? made : given;
  const leaves = version === 1 ? all.filter(({ opening }) => opening.type !== 'STATE_CHANGED') : all;
  const writer = createAuditWriter();
  const heads = new ForgedHeads(header.organizationId);
  let forged = writer.header(header);
  let chain = emptyChain;
  let isSecond = false;
  const hashes: Uint8Array[] = [];
  const revisions = new Map<string, number>();
  for (const [index, leaf] of leaves.entries()) {
    const { opening, content } = leaf;
    const isKept = votes.get(leaf) === JSON.stringify(content?.vote);
    const isOwn = opening.organizationId === header.organizationId;
    isSecond = (version ?? opening.version) === 2;
    const revision = revisions.get(opening.activityId) ?? 0;
    revisions.set(opening.activityId, revision + 1);
    const linked = { ...opening, ...(isOwn && { sequence: chain.sequence + 1, previousLeaf: chain.leafHash }) };
    const named = isSecond ? heads.opening({ ...linked, ...(isOwn && { revision }) }, content, isKept) : earlierOpening(linked);
    if (!isSecond && isOwn && opening.judgedBy !== undefined) content.judgedBy = opening.judgedBy;
    const { decision, result, changed } = content ?? {};
    const opened = {
      ...named,
      ...(decision !== undefined && { decisionDigest: digestOf(decision) }),
      ...(opening.type !== 'STATE_CHANGED' && { resultDigest: digestOf(changed === undefined ? result : { result, changed }) }),
    };
    const salt = new Uint8Array(32).fill(index % 251);
    const leafHash = commitmentLeaf(opened, salt);
    hashes.push(Buffer.from(leafHash, 'hex'));
    if (isOwn) chain = { sequence: opened.sequence, leafHash };
    forged += writer.leaf({
      leafIndex: `${index}`,
      gap: [],
      salt: Buffer.from(salt).toString('hex'),
      opening: JSON.stringify(opened),
      content: content && JSON.stringify(ordered(content)),
    });
  }
  const { frontier } = appendLeaves(emptyFrontier, hashes);
  const entry = { organizationId: header.organizationId, ...chain, head: isSecond ? heads.head : headBefore };
  const { root, nodes } = forgedMap(entry);
  const signed = (...extensions: string[]) => {
    const note = formatCheckpoint({ origin: key.name, size: frontier.size, root: frontierRoot(frontier), extensions });
    return formatNote({ text: note, signatures: [signNote(note, key)] });
  };
  if (version === 1) {
    const earlier = forged.replace('"format":"countersign-audit-2"', '"format":"countersign-audit-1"');
    return mended(earlier + writer.end({ gap: [], checkpoint: signed() }));
  }
  const unnamed = isSecond ? {} : { headVersion: headBefore.version, headDigest: headBefore.digest };
  const head = { checkpoint: signed(headsExtension(root)), nodes, ...unnamed };
  return forged + writer.end({ gap: [], checkpoint: head.checkpoint, head });
}

/** Members in the order of the format. */
function ordered({ judgedBy, vote, body, decision, result, changed }: Json): Json {
  return { judgedBy, vote, body, decision, result, changed };
}

/** An opening as an earlier release wrote it. */
function earlierOpening(opening: Json): Json {
  const { organizationId, sequence, previousLeaf, activityId, fingerprint, type, status } = opening;
  const { decisionDigest, resultDigest, timeMs } = opening;
  const step = { fingerprint, type, status, decisionDigest, resultDigest, timeMs };
  return { organizationId, sequence, previousLeaf, activityId, ...step };
}

/** The head of an organization whose last leaf does not name it. */
const headBefore: ForgedHead = { version: 3, digest: 'ab'.repeat(32) };

/** A head map with this organization among others, and its proof. */
export function forgedMap(entry: { organizationId: string; sequence: number; leafHash: string; head: ForgedHead }) {
  const { organizationId, sequence, leafHash, head } = entry;
  const own = { organizationId, sequence, leafHash, headVersion: head.version, headDigest: head.digest };
  const others = Array.from({ length: 50 }, (_, at) => ({ ...own, organizationId: `other ${at}` }));
  const changes = [own, ...others].map((each) => ({ key: organizationKey(each.organizationId), value: organizationValue(each) }));
  const { root, nodes } = updateMap(emptyMapRoot(), new Map(), changes);
  return { root, nodes: mapPath(organizationKey(organizationId), nodes).map((node) => Buffer.from(node).toString('hex')) };
}
