import { type ActivityDetails, MAX_ITEM_CHARACTERS } from '@countersign/contract';
import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import { hasComparison } from '../../organizations/activities/comparison.ts';
import { referenceOf } from '../../organizations/activities/reference-of.ts';

type Show = (record: ActivityRecord) => ActivityDetails;
type Vote = ActivityDetails['votes'][number];

/** Votes that a shortened activity shows at least. */
const FEW_VOTES = 10;
/** Characters of the message of a failure that stay. */
const FAILURE_CHARACTERS = 1_024;
/** Characters of the sentences of a comparison in a list. */
const COMPARISON_CHARACTERS = 4_096;
const query = 'get_activity';

/**
 * Shows an activity in a list. If its texts have more than `MAX_ITEM_CHARACTERS`, they are left out.
 * SECURITY: D252: an activity has up to some megabytes, and a list a hundred activities. Rendering each as a whole would take seconds.
 */
export function showListed(record: ActivityRecord, show: Show): ActivityDetails {
  if (!hasLongTexts(record)) return withShortComparison(show(record));
  const { result, parsed, judgedParameters, warnings, comparison: _, failure, ...rest } = record;
  const comparison = hasComparison(record);
  const votes = record.votes.map((vote) => ({ ...vote, message: '' }));
  const shown = show({ ...rest, intent: null, result: null, votes, failure: failure && shortenFailure(failure) });
  const fields = [
    'intent',
    'votes.message',
    ...(result === null ? [] : ['result']),
    ...Object.entries({ parsed, judgedParameters, warnings, comparison, failure }).flatMap(([name, value]) =>
      value ? [name] : [],
    ),
  ];
  const reference = referenceOf(record);
  return { ...shown, ...(reference !== undefined && { reference }), shortened: { fields, query } };
}

function hasLongTexts({ votes, intent, result, parsed, judgedParameters, warnings, failure }: ActivityRecord): boolean {
  const messages = votes.reduce((sum, { message }) => sum + message.length, 0);
  if (messages > MAX_ITEM_CHARACTERS) return true;
  const others = JSON.stringify([intent, result, parsed, judgedParameters, warnings, failure]);
  return messages + others.length > MAX_ITEM_CHARACTERS;
}

/** SECURITY: D497: the comparison of a pending activity is computed for each response, and can be longer than its request. */
function withShortComparison({ comparison, ...activity }: ActivityDetails): ActivityDetails {
  if (comparison === undefined) return activity;
  const length = comparison.changes.reduce((sum, { text }) => sum + text.length, 0);
  return length <= COMPARISON_CHARACTERS
    ? { ...activity, comparison }
    : { ...activity, shortened: { fields: [...(activity.shortened?.fields ?? []), 'comparison'], query } };
}

function shortenFailure<F extends { readonly message: string; readonly details: readonly unknown[] }>(failure: F): F {
  return { ...failure, message: failure.message.slice(0, FAILURE_CHARACTERS), details: [] };
}

/** Shortens an activity with many votes, or with voters who have many credentials. */
export function shortenVotes(activity: ActivityDetails): ActivityDetails {
  const votes = activity.votes.map(withoutCredentials);
  const isShort = JSON.stringify({ ...activity, votes }).length <= MAX_ITEM_CHARACTERS;
  const fields = [...(activity.shortened?.fields ?? []), isShort ? 'votes.user' : 'votes'];
  return { ...activity, votes: isShort ? votes : votes.slice(0, FEW_VOTES), shortened: { fields, query } };
}

function withoutCredentials({ user, ...vote }: Vote): Vote {
  const { mfaPolicies, ...rest } = user;
  return {
    ...vote,
    user: { ...rest, authenticators: [], apiKeys: [], oauthProviders: [], ...(mfaPolicies && { mfaPolicies: [] }) },
  };
}
