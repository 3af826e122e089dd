import { hash } from 'node:crypto';
import {
  appendLeaves,
  commitmentLeaf,
  emptyChain,
  emptyFrontier,
  formatCheckpoint,
  formatNote,
  formatVerifierKey,
  frontierRoot,
  type SignerKey,
  signNote,
  verifierKeyOf,
} from '@countersign/tlog';
import { createAuditWriter } from '@countersign/verify';
import type { Json } from '../../support/caller.ts';

const key: SignerKey = { name: 'forged/log', type: 'ed25519', seed: new Uint8Array(32).fill(7) };

/** The key of the log that `forge` makes. */
export const forgedLogKey = formatVerifierKey(verifierKeyOf(key));

const digestOf = (value: unknown) => (value === undefined || value === null ? '' : hash('sha256', JSON.stringify(value)));

/**
 * What somebody makes of an audit file who holds the key of the log: `change` may do anything to its leaves, or give others. Digests, salts, the chain and
 * the tree are made anew so that they fit. A decision that is not shown keeps its digest.
 */
export function forge(text: string, change: (leaves: Json[]) => unknown): string {
  const [header, ...lines] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const given: Json[] = lines.slice(0, -1);
  const made = change(given);
  const leaves: Json[] = Array.isArray(made) ? made : given;
  const writer = createAuditWriter();
  let forged = writer.header(header);
  let chain = emptyChain;
  const hashes: Uint8Array[] = [];
  for (const [index, { opening, content }] of leaves.entries()) {
    const isOwn = opening.organizationId === header.organizationId;
    const { decision, result, changed } = content ?? {};
    const opened = {
      ...opening,
      ...(isOwn && { sequence: chain.sequence + 1, previousLeaf: chain.leafHash }),
      ...(decision !== undefined && { decisionDigest: digestOf(decision) }),
      resultDigest: digestOf(changed === undefined ? result : { result, changed }),
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
      content: content && JSON.stringify(content),
    });
  }
  const { frontier } = appendLeaves(emptyFrontier, hashes);
  const note = formatCheckpoint({ origin: key.name, size: frontier.size, root: frontierRoot(frontier), extensions: [] });
  return forged + writer.end({ gap: [], checkpoint: formatNote({ text: note, signatures: [signNote(note, key)] }) });
}
