import type { ActivityRecord } from '../../organizations/activity-record.ts';
import { SHORT_REQUEST } from '../authorize/early-denial.ts';

/**
 * What is kept of an activity that is refused when it is submitted: who asked for what type of activity, when, by which stamp, and why it was refused. Of a long body
 * only the digest is kept, which is the fingerprint, and no intent.
 * SECURITY: D161: nobody needs the rest, and users without any rights would fill the disk with it.
 */
export function keptRefusal(record: ActivityRecord): ActivityRecord {
  const [vote, ...others] = record.votes;
  if (vote === undefined || others.length > 0 || vote.message.length <= SHORT_REQUEST) return record;
  const { parsed: _, ...kept } = record;
  const decisions = record.decisions.map(({ subject: __, ...decision }) => decision);
  return { ...kept, intent: null, votes: [{ ...vote, message: '' }], decisions };
}
