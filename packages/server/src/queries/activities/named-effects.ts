import { activities as definitions, type EffectShape, queries } from '@countersign/contract';
import { isOwnActivity } from '@countersign/judgement';
import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import type { QueryContext } from '../../pipeline/query.ts';

type Reading = Pick<QueryContext, 'activities' | 'caller' | 'detailsReader' | 'organization' | 'sending'>;

/** The effects in the sentence of an activity: its own, and those of the sent transaction that it replaces. */
export async function namedEffects(context: Reading, record: ActivityRecord): Promise<readonly EffectShape[]> {
  const replaced = await replacedBy(context, record);
  return [...(record.parsed?.effects ?? []), ...(replaced?.parsed?.effects ?? [])];
}

/** The activity that sent the transaction that a request replaces. Undefined if the caller may not read it. */
async function replacedBy(
  { activities, caller, detailsReader, organization, sending }: Reading,
  { type, intent }: ActivityRecord,
): Promise<ActivityRecord | undefined> {
  if (type !== definitions.ethReplaceTransaction.type) return undefined;
  const { sendTransactionStatusId: id } = (intent ?? {}) as { readonly sendTransactionStatusId?: unknown };
  if (typeof id !== 'string') return undefined;
  const sent = await sending.get(organization.id, id);
  const found = sent && (await activities.get(organization.id, sent.activityId));
  if (found === undefined) return undefined;
  // SECURITY: D1051: the names of a transaction show whom it pays. The id of one is not a right to read it.
  return detailsReader.mayUse([queries.getActivity]) || isOwnActivity(found, caller.userId) ? found : undefined;
}
