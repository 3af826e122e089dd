import { queries } from '@countersign/contract';
import { isOwnActivity, seesDecisions } from '@countersign/judgement';
import type { z } from 'zod';
import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import { type QueryContext, resolveScoped } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';
import { requireOwnActivity } from '../own.ts';
import { MAX_READ_CHARACTERS, type MayRead, messageLength, namedBy } from './named-activities.ts';
import { NamedPeople, stampOf, type VoteStamp } from './named-people.ts';
import { recordsNaming } from './named-records.ts';
import { createProofs } from './prove-activities.ts';
import { searchWriters, type WrittenRecord } from './record-writers.ts';

const MAX_APPROVERS = 100;
/** Look-alike contacts of one activity, and of several. */
const MAX_SIMILAR = { ofOne: 20, ofSeveral: 100 };

type Asked = z.output<typeof queries.getActivityNames.input>;
type Answer = z.output<typeof queries.getActivityNames.output>;

export const getActivityNames = resolveScoped(queries.getActivityNames, {
  async all(context, asked) {
    const { activities, organization } = context;
    const record = await activities.get(organization.id, asked.activityId);
    if (record === undefined) {
      await activities.refuseArchived(organization.id, { id: asked.activityId });
      throw notFound('activity', 'activityId');
    }
    return namesOf(context, record, asked, () => true);
  },
  async own(context, asked) {
    const record = await requireOwnActivity(context, queries.getActivityNames, asked.activityId);
    return namesOf(context, record, asked, (each) => isOwnActivity(each, context.caller.userId));
  },
});

async function namesOf(
  context: QueryContext,
  record: ActivityRecord,
  { moreActivityIds = [], compareWith = [] }: Asked,
  mayRead: MayRead,
): Promise<Answer> {
  const named = await namedBy(context, record, moreActivityIds, mayRead);
  const maxSimilar = moreActivityIds.length === 0 ? MAX_SIMILAR.ofOne : MAX_SIMILAR.ofSeveral;
  const { written, ...records } = await recordsNaming(context, named, maxSimilar);
  return {
    ...records,
    ...decidersOf(context, record),
    proofs: await proofsOf(context, { written, stamps: named.stamps, compareWith }),
  };
}

/** The policies of the last decision, and the users whose approval would count. The parent's are not in this organization. */
function decidersOf(
  { organization, caller, detailsReader }: QueryContext,
  record: ActivityRecord,
): Pick<Answer, 'policies' | 'approvers' | 'approverCount'> {
  const last = record.decisions.at(-1);
  const isShown = record.judgedBy === undefined && seesDecisions(record, caller.organizationId);
  if (last === undefined || !isShown) return { policies: [], approvers: [] };
  const policies = detailsReader.mayUse([queries.explainActivity, queries.listPolicies])
    ? last.evaluations.flatMap(({ policyId, outcome }) => {
        const policy = isRequiring(outcome) ? organization.policies.get(policyId) : undefined;
        return policy === undefined ? [] : [{ policyId, policyName: policy.policyName, consensus: policy.consensus ?? '' }];
      })
    : [];
  const mayApprove = detailsReader.mayUse([queries.explainActivity, queries.listUsers]) ? (last.mayApprove ?? []) : [];
  const approvers = mayApprove.slice(0, MAX_APPROVERS).flatMap((userId) => {
    const user = organization.users.get(userId);
    return user === undefined ? [] : [{ userId, userName: user.userName }];
  });
  return { policies, approvers, ...(mayApprove.length > MAX_APPROVERS && { approverCount: mayApprove.length }) };
}

const isRequiring = (outcome: string) => outcome === 'OUTCOME_REQUIRES_CONSENSUS' || outcome === 'OUTCOME_ALLOW';

interface Wanted {
  readonly written: readonly WrittenRecord[];
  readonly stamps: readonly VoteStamp[];
  readonly compareWith: readonly string[];
}

/**
 * Proves the activities that wrote the records, and those that wrote the users and credentials of the stamps and of the writers; and those to
 * compare with that the caller may read. Each one once.
 */
async function proofsOf(context: QueryContext, { written, stamps, compareWith }: Wanted): Promise<Answer['proofs']> {
  const { activities, organization, caller, detailsReader } = context;
  const proofs = createProofs(context);
  const readsAll = detailsReader.mayUse([queries.listActivities, queries.getLogProof]);
  let characters = 0;
  for (const id of new Set(compareWith)) {
    if (characters > MAX_READ_CHARACTERS) break;
    const record = await activities.get(organization.id, id);
    if (record === undefined) continue;
    characters += messageLength(record);
    // SECURITY: D973: an id is not a right to read.
    if (readsAll || isOwnActivity(record, caller.userId)) await proofs.add(record, false);
  }
  if (!detailsReader.mayUse([queries.listActivities, queries.listAuditRecords])) return proofs.all();
  const writerOf = searchWriters(context);
  const people = new NamedPeople();
  people.add(stamps);
  for (const each of written) {
    const record = await writerOf(each);
    if (record === undefined) continue;
    await proofs.add(record, true);
    people.add(record.votes.slice(0, 1).map(stampOf));
  }
  for (const each of people.written(organization)) {
    const record = await writerOf(each);
    if (record !== undefined) await proofs.add(record, true);
  }
  return proofs.all();
}
