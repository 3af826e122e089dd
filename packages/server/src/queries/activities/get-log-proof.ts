import { queries } from '@countersign/contract';
import { resolve } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';
import { showLeaf } from './show-leaf.ts';

export const getLogProof = resolve(queries.getLogProof, async ({ logProofs, organization }, { activityId, revision }) => {
  const proof = await logProofs.proofOf(organization.id, activityId, revision === undefined ? undefined : Number(revision));
  if (proof === undefined) throw notFound('activity', 'activityId');
  const hashes = proof.hashes.map((hash) => Buffer.from(hash).toString('hex'));
  return { checkpoint: proof.checkpoint, leaf: showLeaf(proof.leaf), hashes };
});
