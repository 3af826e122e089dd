import type { ActivityDetails } from '@countersign/contract';
import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import type { QueryContext } from '../../pipeline/query.ts';
import { collect } from '../collect.ts';
import { auditContent } from './audit-content.ts';
import { showLeaf } from './show-leaf.ts';
import { shortenVotes, showListed } from './show-listed.ts';

/** Contents with more characters are left out. */
const MAX_CONTENT = 1_000_000;
/** Characters of contents after which a response has no further one, as a page of audit records. Clients load the others themselves. */
const MAX_CONTENTS = 4_000_000;

interface ProvenActivity {
  readonly activity: ActivityDetails;
  readonly checkpoint: string;
  readonly leaf: ReturnType<typeof showLeaf>;
  readonly hashes: string[];
  readonly content?: string;
}

/** The activities of a response with the inclusion proofs of their newest leaves. */
interface Proofs {
  /**
   * Proves an activity, each one once. `withContent` also returns what its leaf commits to. Leaves out an activity that the log does not have.
   * SECURITY: D252: each activity is rendered immediately, so that large ones are not in memory together. D1099: their contents have a limit
   * together.
   */
  add(record: ActivityRecord, withContent: boolean): Promise<void>;
  all(): ProvenActivity[];
}

export function createProofs(context: QueryContext): Proofs {
  const proven = new Map<string, ProvenActivity | undefined>();
  const contents = new Set<string>();
  let left = MAX_CONTENTS;
  return {
    async add(record, withContent) {
      if (proven.has(record.id) && (!withContent || contents.has(record.id))) return;
      if (withContent) contents.add(record.id);
      const { shown, rendered } = await prove(context, record, withContent && left > 0);
      left -= rendered;
      proven.set(record.id, shown);
    },
    all: () => [...proven.values()].filter((each) => each !== undefined),
  };
}

/** `rendered`: the characters of the content, also of one that is too long to be shown. */
async function prove(
  context: QueryContext,
  record: ActivityRecord,
  withContent: boolean,
): Promise<{ readonly shown?: ProvenActivity; readonly rendered: number }> {
  const { items } = await collect(context, [showListed(record, context.showActivity)], shortenVotes);
  const [activity] = items;
  const proof = await context.logProofs.proofOf(context.organization.id, record.id);
  if (proof === undefined || activity === undefined) return { rendered: 0 };
  const { checkpoint, leaf } = proof;
  const content = withContent ? auditContent(record, leaf.row.revision, leaf.opening) : undefined;
  await context.endSlice(content?.length);
  const shown = {
    ...{ activity, checkpoint, leaf: showLeaf(leaf) },
    hashes: proof.hashes.map((hash) => Buffer.from(hash).toString('hex')),
    ...(content !== undefined && content.length <= MAX_CONTENT && { content }),
  };
  return { shown, rendered: content?.length ?? 0 };
}
