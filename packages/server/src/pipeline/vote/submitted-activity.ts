import { activityByType } from '@countersign/contract';
import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import { readParameters } from '../../wire/read-parameters.ts';
import type { Proposal } from '../context.ts';

/** The activity as submitted. */
export function submittedActivity(record: ActivityRecord): Pick<Proposal, 'definition' | 'version' | 'params'> {
  const known = activityByType.get(record.type);
  const message = record.votes[0]?.message;
  if (known === undefined || message === undefined)
    throw new Error(`activity ${record.id} cannot be carried out by this release`);
  const { parameters } = JSON.parse(message) as { parameters: unknown };
  const { definition, version } = known;
  return { definition, version, params: readParameters(version.params, parameters) };
}
