import type { ActivityDetails } from '@countersign/contract';
import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import type { QueryContext } from '../../pipeline/query.ts';
import { collect } from '../collect.ts';
import { each } from '../page.ts';
import { auditContent } from './audit-content.ts';
import { showLeaf } from './show-leaf.ts';
import { shortenVotes, showListed } from './show-listed.ts';

/** An activity to prove. `withContent` also returns what its leaf commits to. */
export interface Proven {
  readonly record: ActivityRecord;
  readonly withContent: boolean;
}

/** Contents with more characters are left out. */
const MAX_CONTENT = 1_000_000;

/** The activities with the inclusion proofs of their newest leaves. Leaves out those that the log does not have. */
export async function proveActivities(context: QueryContext, proven: readonly Proven[]) {
  const { items } = await collect(
    context,
    each(proven, ({ record }) => showListed(record, context.showActivity)),
    shortenVotes,
  );
  const proofs: ProvenActivity[] = [];
  for (const [at, activity] of items.entries()) {
    const { record, withContent } = proven[at] as Proven;
    const proof = await context.logProofs.proofOf(context.organization.id, record.id);
    if (proof === undefined) continue;
    const { checkpoint, leaf } = proof;
    const content = withContent ? auditContent(record, leaf.row.revision, leaf.opening) : undefined;
    await context.endSlice(content?.length);
    proofs.push({
      ...{ activity, checkpoint, leaf: showLeaf(leaf) },
      hashes: proof.hashes.map((hash) => Buffer.from(hash).toString('hex')),
      ...(content !== undefined && content.length <= MAX_CONTENT && { content }),
    });
  }
  return proofs;
}

interface ProvenActivity {
  readonly activity: ActivityDetails;
  readonly checkpoint: string;
  readonly leaf: ReturnType<typeof showLeaf>;
  readonly hashes: string[];
  readonly content?: string;
}
