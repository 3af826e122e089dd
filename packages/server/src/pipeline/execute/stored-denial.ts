import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import { SHORT_REQUEST } from '../authorize/authorize.ts';

/**
 * The record of a denied activity as stored: the user, the type of activity, the time, the stamp, and the reason for the denial. A long
 * body
 * is stored as its digest, the fingerprint, without an intent.
 * SECURITY: D161: otherwise a user without rights fills the disk.
 */
export function storedDenial(record: ActivityRecord): ActivityRecord {
  const [vote, ...others] = record.votes;
  if (vote === undefined || others.length > 0 || vote.message.length <= SHORT_REQUEST) return record;
  const { parsed: _, ...kept } = record;
  const decisions = record.decisions.map(({ subject: __, ...decision }) => decision);
  return { ...kept, intent: null, votes: [{ ...vote, message: '' }], decisions };
}
