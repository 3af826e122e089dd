import { ChainError } from '@countersign/chains';
import { ServiceError } from '@countersign/contract';
import {
  type Authorize,
  CURRENT_RULES,
  decideByCredential,
  type JudgedOrganization,
  type Judgement,
  type PastOrganization,
  type PolicySubject,
  pastSigning,
  rulesOf,
  sameDecision,
  sendingKeyField,
  sendsTransaction,
  showDecision,
  subjectFrom,
  UnknownRulesError,
  usageFrom,
} from '@countersign/judgement';
import type { Decision } from '@countersign/policy';
import { type EndSlice, runInSlices } from '../admission/index.ts';
import { parserEngines } from '../auth/parser-engines.ts';
import type { ActivityRecord, DecisionRecord, VoteRecord } from '../organizations/activities/activity-record.ts';
import { submittedActivity } from '../organizations/activities/submitted-activity.ts';
import { HistoryError, type PastKeys } from './history-cursor.ts';
import type { Timestamp } from './timestamp.ts';

/** A past decision that can be reproduced. */
export interface PastDecision {
  readonly record: ActivityRecord;
  readonly stored: DecisionRecord;
  /** The votes that the decision was based on. */
  readonly votes: readonly VoteRecord[];
  readonly timestamp: Timestamp;
}

/** The last decision of policies on an activity. A rejection is made by a user, so it is skipped. */
export function lastDecision(record: ActivityRecord): PastDecision | undefined {
  const stored = record.decisions.findLast(({ by }) => by !== 'REJECTION');
  const cast = stored === undefined ? -1 : record.votes.findIndex(({ id }) => id === stored.voteId);
  if (stored === undefined || cast < 0) return undefined;
  return {
    record,
    stored,
    votes: record.votes.slice(0, cast + 1),
    timestamp: { atMs: stored.createdAtMs, voteId: stored.voteId },
  };
}

/** An activity as it was authorized at the time. */
export interface PastCase extends PastDecision {
  readonly judgement: Judgement;
  readonly organization: JudgedOrganization;
  /** What is signed, as the current rules read it. Absent if the decision was made by them, or if nothing is signed. */
  readonly reread?: PolicySubject;
}

/** Whether a full root quorum decided. Then policies do not apply, and no subject was stored. */
export function isByRootQuorum({ stored }: PastDecision): boolean {
  return stored.outcome === 'ALLOW' && stored.by === 'ROOT_QUORUM';
}

/** The part of a past organization that decisions read. */
export type PastView = Pick<PastOrganization, 'organization' | 'key' | 'wallet' | 'secret' | 'signingKey'>;

/**
 * Parses a request as it was parsed at the time. Returns undefined if that is not possible.
 * SECURITY: D171: the body of a long denied request is not stored. Anyone can send one.
 */
export async function pastCase(decision: PastDecision, then: PastView, keys: PastKeys): Promise<PastCase | undefined> {
  if (decision.votes[0]?.message === '') return undefined;
  try {
    const { record, votes, timestamp } = decision;
    const { definition, version, params } = submittedActivity(record);
    const organization = then.organization();
    const { rules } = decision.stored;
    rulesOf({ rules });
    const read = (version: number | undefined) => subjectOf(decision, definition.name, params, then, keys, version);
    const subject = await read(rules);
    const reread = rules !== CURRENT_RULES && isSigning(definition.name) ? await read(CURRENT_RULES) : undefined;
    const usage = usageFrom(decision.stored.usage);
    const base = {
      ...(usage && { usage }),
      rules,
      votes,
      definition,
      type: version.type,
      params,
      subject,
      nowMs: timestamp.atMs,
    };
    const judgement = { ...base, organization, target: organization };
    return { ...decision, organization, judgement, ...(reread && { reread }) };
  } catch (error) {
    // This release may reject input that an earlier one accepted, and data that was deleted since may be unknown.
    if (error instanceof HistoryError || error instanceof ServiceError || error instanceof ChainError) return undefined;
    if (error instanceof UnknownRulesError) return undefined;
    throw error;
  }
}

async function subjectOf(
  { stored, timestamp }: PastDecision,
  name: string,
  params: unknown,
  then: PastView,
  keys: PastKeys,
  rules: number | undefined,
): Promise<PolicySubject> {
  if (!isSigning(name))
    return subjectFrom(stored.subject ?? {}, then, (what) => new HistoryError(`${what} of then is not known`));
  const isSent = sendsTransaction({ name });
  const field = isSent ? sendingKeyField(name) : 'signWith';
  const signWith = (params as Readonly<Record<string, string>>)[field] as string;
  const key = await keys.signingKey(then, signWith, timestamp.atMs);
  return pastSigning(
    name,
    isSent ? { ...stored.subject?.parameters, [field]: signWith } : params,
    then.organization(),
    key,
    rules,
    parserEngines,
  ).subject;
}

function isSigning(name: string): name is Parameters<typeof pastSigning>[0] {
  return name === 'signRawPayload' || name === 'signRawPayloads' || name === 'signTransaction' || sendsTransaction({ name });
}

/**
 * The same request under other policies and the current rules. The usage of spending limits at the time does not apply to other limits.
 */
export function underRules(
  { judgement: { usage: _, ...judgement }, reread: subject = judgement.subject }: PastCase,
  organization: JudgedOrganization,
): Judgement {
  return { ...judgement, subject, rules: CURRENT_RULES, organization, target: organization };
}

export async function decideAgain(authorize: Authorize, judgement: Judgement, endSlice: EndSlice): Promise<Decision> {
  return decideByCredential(judgement) ?? runInSlices(authorize.decideInSteps(judgement), endSlice);
}

/** Whether a decision matches the stored one. */
export function isReproduced({ stored, judgement }: PastCase, again: Decision): boolean {
  return sameDecision(judgement, stored, showDecision(again, judgement));
}
