import { queries } from '@countersign/contract';
import { type QueryContext, resolveScoped } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';
import { requireOwnActivity } from '../own.ts';
import { showLeaf } from './show-leaf.ts';

export const getLogProof = resolveScoped(queries.getLogProof, {
  all: prove,
  async own(context, input) {
    await requireOwnActivity(context, queries.getLogProof, input.activityId);
    return prove(context, input);
  },
});

interface Asked {
  readonly activityId: string;
  readonly revision?: string | undefined;
}

async function prove({ logProofs, organization }: QueryContext, { activityId, revision }: Asked) {
  const proof = await logProofs.proofOf(organization.id, activityId, revision === undefined ? undefined : Number(revision));
  if (proof === undefined) throw notFound('activity', 'activityId');
  const hashes = proof.hashes.map((hash) => Buffer.from(hash).toString('hex'));
  return { checkpoint: proof.checkpoint, leaf: showLeaf(proof.leaf), hashes };
}
