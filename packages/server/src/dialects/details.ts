import { type ActivityDetails, queries, type ServiceError } from '@countersign/contract';
import { decidedBy, isReadingRestricted, queriesFor } from '@countersign/judgement';
import {
  type ActivityFailure,
  type ActivityRecord,
  isTerminal,
  type VoteRecord,
} from '../organizations/activities/activity-record.ts';
import { comparisonOf } from '../organizations/activities/comparison.ts';
import { referenceOf } from '../organizations/activities/reference-of.ts';
import { haveRulesChanged } from '../organizations/rule-change.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';
import { showUser, toTimestamp } from '../organizations/views.ts';
import { type DetailsReader, policyNames } from './details-reader.ts';
import type { View } from './redaction.ts';
import { transactionHashOf } from './transaction-hash.ts';

/** Intent and result of an activity under the names of a dialect. */
export interface Keyed {
  readonly intent: Record<string, unknown>;
  readonly result: Record<string, unknown>;
}

/**
 * Renders all fields of an activity. Dialects differ only in the names of intent and result. Without a `reader`, the response to a submit,
 * it shows what the request led to, and not what it is compared with.
 */
export function showDetails(
  record: ActivityRecord,
  organization: Snapshot,
  callerId: string,
  keyed: Keyed,
  view: View,
  beyondSpec: boolean,
  reader?: DetailsReader,
): ActivityDetails {
  const reference = referenceOf(record);
  const waiting = record.status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED';
  const canApprove = waiting && record.decisions.at(-1)?.mayApprove?.includes(callerId) === true;
  // SECURITY: D322: approvers read activities without a policy. In an organization that restricts reading, they learn who voted, but not how
  // to reach that user, nor with which credentials the user signs in.
  const isShown = ({ userId }: VoteRecord) => userId === callerId || !isReadingRestricted(organization);
  const mayEnd = record.votes[0]?.userId === callerId || organization.profile.rootQuorum.userIds.includes(callerId);
  return {
    id: record.id,
    organizationId: record.organizationId,
    status: record.status,
    type: record.type,
    ...keyed,
    votes: record.votes.map((vote) => showVote(vote, record.id, organization, view, beyondSpec, isShown(vote))),
    fingerprint: record.fingerprint,
    canApprove,
    canReject: canApprove || (waiting && mayEnd),
    createdAt: toTimestamp(record.createdAtMs),
    updatedAt: toTimestamp(record.updatedAtMs),
    ...(reference !== undefined && { reference }),
    ...(record.parsed && { parsed: { ...record.parsed, effects: record.parsed.effects ?? [] } }),
    ...(record.judgedParameters && { judgedParameters: view.params(record.judgedParameters) as Record<string, unknown> }),
    ...(record.warnings && { warnings: shownWarnings(record.warnings, record, organization, callerId, reader) }),
    ...(reader && { ...showComparison(record, organization, reader), ...transactionHashOf(record) }),
    ...(reader && showAuthorization(record, organization, reader)),
    failure: record.failure && showFailure(record.failure),
  };
}

/** SECURITY: D496: a comparison quotes the current state. Readers see it if queries show them that state. */
function showComparison(
  record: ActivityRecord,
  organization: Snapshot,
  reader: DetailsReader,
): Pick<ActivityDetails, 'comparison'> {
  const comparison = comparisonOf(record, organization);
  if (comparison === undefined) return {};
  const needed = queriesFor(comparison.changes.map(({ subject }) => subject.kind));
  return { comparison: needed !== undefined && reader.mayUse(needed) ? comparison : { changes: [], withheld: true } };
}

const ABOUT_RULES = /^(BACKTEST|WORST_CASE): /;
const WITHHELD = 'WITHHELD: what the change leads to is shown to users who may use backtest_policies';
const OUTDATED =
  'OUTDATED: policies or limits changed after these warnings were written, so they may be wrong. Submit the request again for current ones';

/**
 * SECURITY: D518: backtests and worst cases of a change say something about past activities and about other policies. The submitter chooses
 * the change, and could so read both bit by bit. D521: they are written on submission, and two changes together can do what neither does.
 */
function shownWarnings(
  warnings: readonly string[],
  { judgedBy, warnedOn, status }: ActivityRecord,
  organization: Snapshot,
  callerId: string,
  reader: DetailsReader | undefined,
): string[] {
  if (!warnings.some((warning) => ABOUT_RULES.test(warning))) return [...warnings];
  const mayRead =
    reader?.mayUse([queries.backtestPolicies]) ??
    (judgedBy === undefined &&
      (!isReadingRestricted(organization) || organization.profile.rootQuorum.userIds.includes(callerId)));
  if (!mayRead) return [WITHHELD, ...warnings.filter((warning) => !ABOUT_RULES.test(warning))];
  const isOutdated = warnedOn !== undefined && !isTerminal(status) && haveRulesChanged(organization, warnedOn);
  return [...(isOutdated ? [OUTDATED] : []), ...warnings];
}

/** Which policies or whether the root quorum demanded approvals, and what the final decision followed from. */
function showAuthorization(
  record: ActivityRecord,
  organization: Snapshot,
  reader: DetailsReader,
): Pick<ActivityDetails, 'authorization'> {
  const nameOf = policyNames(organization, record, reader);
  if (nameOf === undefined || record.decisions.length === 0) return {};
  const last = record.decisions.at(-1);
  const demanding = record.decisions.findLast(({ outcome }) => outcome === 'NEEDS_CONSENSUS');
  const final = last?.outcome === 'NEEDS_CONSENSUS' ? undefined : last;
  return {
    authorization: {
      ...(demanding !== undefined && { demanded: decidedBy(demanding, nameOf) }),
      ...(final !== undefined && { decided: decidedBy(final, nameOf) }),
    },
  };
}

function showFailure({ code, message, details }: ActivityFailure): NonNullable<ActivityDetails['failure']> {
  return { code, message, details: [...details] };
}

function showVote(
  vote: VoteRecord,
  activityId: string,
  organization: Snapshot,
  view: View,
  beyondSpec: boolean,
  isUserShown: boolean,
): ActivityDetails['votes'][number] {
  const { id, userId, userName, selection, publicKey, signature, scheme } = vote;
  const message = view.message(vote.message);
  const createdAt = toTimestamp(vote.createdAtMs);
  // For a user who is deleted or not shown, show what the vote recorded.
  const user = (isUserShown ? showUser(organization, userId, beyondSpec) : undefined) ?? {
    userId,
    userName,
    authenticators: [],
    apiKeys: [],
    userTags: [],
    oauthProviders: [],
    ...(beyondSpec && { mfaPolicies: [] }),
    createdAt,
    updatedAt: createdAt,
  };
  return { id, userId, user, activityId, selection, message, publicKey, signature, scheme, createdAt };
}

/** The details of an error: the fields to correct, and the activity that recorded the attempt. */
export function errorDetails({ violations, activityId }: ServiceError): unknown[] {
  return [
    ...(violations.length === 0 ? [] : [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: violations }]),
    ...(activityId === undefined ? [] : [{ '@type': 'countersign/Activity', activityId }]),
  ];
}
