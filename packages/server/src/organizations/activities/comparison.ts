import { type Activities, type ActivityDefinition, activityByType, type ComparisonShape } from '@countersign/contract';
import { compareActivity, isCompared } from '@countersign/judgement';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { type ActivityRecord, isTerminal } from './activity-record.ts';
import { submittedActivity } from './submitted-activity.ts';

const nameOf = (definition: ActivityDefinition) => definition.name as keyof Activities;

/** Whether an activity has a comparison: a stored one, or one that is computed when it is read. */
export function hasComparison({ comparison, status, type }: Pick<ActivityRecord, 'comparison' | 'status' | 'type'>): boolean {
  if (comparison !== undefined || isTerminal(status)) return comparison !== undefined;
  const definition = activityByType.get(type)?.definition;
  return definition !== undefined && isCompared(nameOf(definition));
}

/**
 * What an activity changes: as stored with its final decision, or compared with the current state while it is pending. Undefined if there
 * is nothing to compare, and for activities that older versions decided.
 */
export function comparisonOf(record: ActivityRecord, organization: Snapshot): ComparisonShape | undefined {
  // A list leaves out long bodies.
  if (record.comparison !== undefined || !hasComparison(record) || !record.votes[0]?.message) return record.comparison;
  const { definition, params } = submittedActivity(record);
  return compareWith(organization, record, definition, params);
}

/** The part of a proposal that determines what it changes. */
interface Compared {
  readonly definition: ActivityDefinition;
  readonly params: unknown;
  readonly target: Snapshot;
}

/** The record with what it changes, compared with the state before it. Stored with the final decision, because the state then changes. */
export function withComparison(
  record: ActivityRecord,
  { definition, params, target }: Compared,
  resolved: () => ActivityRecord['judgedParameters'] = () => record.judgedParameters,
): ActivityRecord {
  if (!isCompared(nameOf(definition))) return record;
  const comparison = compareWith(target, record, definition, params, resolved());
  return comparison === undefined ? record : { ...record, comparison };
}

function compareWith(
  organization: Snapshot,
  { votes, judgedParameters }: ActivityRecord,
  definition: ActivityDefinition,
  params: unknown,
  resolved = judgedParameters,
): ComparisonShape | undefined {
  return compareActivity(nameOf(definition), { organization, submitterId: votes[0]?.userId ?? '', params, resolved });
}
