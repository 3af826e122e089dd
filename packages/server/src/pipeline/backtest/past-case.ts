import { ChainError } from '@countersign/chains';
import { ServiceError } from '@countersign/contract';
import {
  type Authorize,
  decideByCredential,
  type JudgedOrganization,
  type Judgement,
  type PastOrganization,
  type PolicySubject,
  pastSigning,
  sameDecision,
  showDecision,
  subjectFrom,
  usageFrom,
} from '@countersign/judgement';
import type { Decision } from '@countersign/policy';
import { parserEngines } from '../../auth/parser-engines.ts';
import type { ActivityRecord, DecisionRecord, VoteRecord } from '../../organizations/activity-record.ts';
import { submittedActivity } from '../vote/submitted-activity.ts';
import type { Moment } from './moment.ts';
import { PastFault, type PastKeys } from './past-walk.ts';

/** A decision of the past that can be looked for again. */
export interface PastDecision {
  readonly record: ActivityRecord;
  readonly kept: DecisionRecord;
  /** The votes that it was made on. */
  readonly votes: readonly VoteRecord[];
  readonly moment: Moment;
}

/** The last decision that policies made on an activity. A rejection is the word of a person, so the decision before it counts. */
export function lastDecision(record: ActivityRecord): PastDecision | undefined {
  const kept = record.decisions.findLast(({ by }) => by !== 'REJECTION');
  const cast = kept === undefined ? -1 : record.votes.findIndex(({ id }) => id === kept.voteId);
  if (kept === undefined || cast < 0) return undefined;
  return { record, kept, votes: record.votes.slice(0, cast + 1), moment: { atMs: kept.createdAtMs, voteId: kept.voteId } };
}

/** An activity as it was judged then. */
export interface PastCase extends PastDecision {
  readonly judgement: Judgement;
  readonly organization: JudgedOrganization;
}

/** Whether a full root quorum decided. Policies have no say then, and nothing was noted of the request. */
export function isByRootQuorum({ kept }: PastDecision): boolean {
  return kept.outcome === 'ALLOW' && kept.by === 'ROOT_QUORUM';
}

/**
 * Reads a request again as it was understood then. Undefined where it cannot be.
 * SECURITY: D171: of a long request that was refused, the body was not kept. Anybody can send one.
 */
export async function pastCase(past: PastDecision, then: PastOrganization, keys: PastKeys): Promise<PastCase | undefined> {
  if (past.votes[0]?.message === '') return undefined;
  try {
    const { record, votes, moment } = past;
    const { definition, version, params } = submittedActivity(record);
    const organization = then.organization();
    const subject = await subjectOf(past, definition.name, params, then, keys);
    const noted = usageFrom(past.kept.usage);
    const usage = noted && { usage: noted };
    const base = { ...usage, votes, definition, type: version.type, params, subject, nowMs: moment.atMs };
    return { ...past, organization, judgement: { ...base, organization, target: organization } };
  } catch (error) {
    // This release may refuse what an earlier one took, and what was deleted since may not be known any more.
    if (error instanceof PastFault || error instanceof ServiceError || error instanceof ChainError) return undefined;
    throw error;
  }
}

async function subjectOf(
  { kept, moment }: PastDecision,
  name: string,
  params: unknown,
  then: PastOrganization,
  keys: PastKeys,
): Promise<PolicySubject> {
  if (!isSigning(name)) return subjectFrom(kept.subject ?? {}, then, (what) => new PastFault(`${what} of then is not known`));
  const key = await keys.signingKey(then, (params as { signWith: string }).signWith, moment.atMs);
  return pastSigning(name, params, then.organization(), key, parserEngines).subject;
}

function isSigning(name: string): name is Parameters<typeof pastSigning>[0] {
  return name === 'signRawPayload' || name === 'signRawPayloads' || name === 'signTransaction';
}

/** The same request under other policies. What limits over time had counted then says nothing under others. */
export function underRules({ judgement: { usage: _, ...judgement } }: PastCase, organization: JudgedOrganization): Judgement {
  return { ...judgement, organization, target: organization };
}

export function decideAgain(authorize: Authorize, judgement: Judgement): Decision {
  return decideByCredential(judgement) ?? authorize.decide(judgement);
}

/** Whether a decision says what the kept one said. */
export function isReproduced({ kept, judgement }: PastCase, again: Decision): boolean {
  return sameDecision(judgement, kept, showDecision(again));
}
