import { type QueryDefinition, queries } from '@countersign/contract';
import { isReadingRestricted, type PolicyNameOf, seesDecisions } from '@countersign/judgement';
import type { ActivityRecord } from '../organizations/activities/activity-record.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';

/** What the reader of an activity may read of the organization's state. */
export interface DetailsReader {
  /** The organization of the reader. Undefined for a receiver of events, who does not see how activities were decided. */
  readonly organizationId?: string;
  /** Whether the reader may read everything that these queries show. */
  mayUse(list: readonly QueryDefinition[]): boolean;
}

/**
 * The reader of an event.
 * SECURITY: D496: if reading is restricted here or the parent organization acts, only what the activity itself contains is shown.
 */
export function defaultReader(organization: Snapshot, { judgedBy }: ActivityRecord): DetailsReader {
  const mayReadAll = judgedBy === undefined && !isReadingRestricted(organization);
  return { mayUse: () => mayReadAll };
}

/** The names of policies for the explanation of an activity. Undefined if the reader may not see how it was decided. */
export function policyNames(organization: Snapshot, record: ActivityRecord, reader: DetailsReader): PolicyNameOf | undefined {
  const { organizationId } = reader;
  if (organizationId === undefined || !seesDecisions(record, organizationId) || !reader.mayUse([queries.listPolicies]))
    return undefined;
  // The policies of the parent are not in the snapshot of the organization that it acts in.
  return (policyId) => (record.judgedBy === undefined ? organization.policies.get(policyId)?.policyName : undefined);
}
