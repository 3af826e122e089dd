import type { ActivityDetails, ServiceError } from '@countersign/contract';
import { isReadingRestricted } from '@countersign/judgement';
import type { ActivityFailure, ActivityRecord, VoteRecord } from '../organizations/activities/activity-record.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';
import { showUser, toTimestamp } from '../organizations/views.ts';
import type { View } from './redaction.ts';

/** Intent and result of an activity under the names of a dialect. */
export interface Keyed {
  readonly intent: Record<string, unknown>;
  readonly result: Record<string, unknown>;
}

/** Renders all fields of an activity. Dialects differ only in the names of intent and result. */
export function showDetails(
  record: ActivityRecord,
  organization: Snapshot,
  callerId: string,
  keyed: Keyed,
  view: View,
  beyondSpec: boolean,
): ActivityDetails {
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
    ...(record.parsed && { parsed: { ...record.parsed, effects: record.parsed.effects ?? [] } }),
    ...(record.judgedParameters && { judgedParameters: view.params(record.judgedParameters) as Record<string, unknown> }),
    ...(record.warnings && { warnings: [...record.warnings] }),
    failure: record.failure && showFailure(record.failure),
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
