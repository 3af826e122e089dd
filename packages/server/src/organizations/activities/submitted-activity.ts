import { type ActivityDefinition, type ActivityVersion, activityByType } from '@countersign/contract';
import { readParameters } from '../../wire/read-parameters.ts';
import type { ActivityRecord } from './activity-record.ts';

/** An activity as submitted. */
export interface SubmittedActivity {
  readonly definition: ActivityDefinition;
  readonly version: ActivityVersion;
  readonly params: unknown;
}

/** Reads an activity from the body that submitted it. */
export function submittedActivity(record: ActivityRecord): SubmittedActivity {
  const known = activityByType.get(record.type);
  const message = record.votes[0]?.message;
  if (known === undefined || message === undefined) throw new Error(`activity ${record.id} cannot be executed by this release`);
  const { parameters } = JSON.parse(message) as { parameters: unknown };
  const { definition, version } = known;
  return { definition, version, params: readParameters(version.params, parameters) };
}
