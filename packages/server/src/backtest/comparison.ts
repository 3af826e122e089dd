import { memoizeByRef } from '@countersign/collections';
import { ServiceError } from '@countersign/contract';
import type { Authorize, JudgedOrganization, Judgement, PolicyRecord } from '@countersign/judgement';
import { type Decision, renderExplanation } from '@countersign/policy';
import { type EndSlice, inSlices } from '../admission/index.ts';
import { hasMaskedParameters } from '../dialects/redaction.ts';
import type { ActivityRecord } from '../organizations/activities/activity-record.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';
import { toTimestamp } from '../organizations/views.ts';
import type { RuleSet } from './backtest-types.ts';
import type { PastKeys } from './history-cursor.ts';
import { changeReason, outcomeOf } from './outcome-change.ts';
import type { Past } from './past.ts';
import {
  decideAgain,
  isByRootQuorum,
  isReproduced,
  lastDecision,
  type PastCase,
  type PastDecision,
  pastCase,
  underRules,
} from './past-case.ts';
import type { Replay } from './replays.ts';
import { compareTimestamps } from './timestamp.ts';
import type { Totals } from './totals.ts';
import type { UsageReplay } from './usage-replay.ts';

const MAX_EXPLANATION = 4_000;
/** The outcome changes of one part that are explained. */
export const MAX_EXPLAINED = 50;
const NOT_EXPLAINED = `not explained: a part of a backtest explains its first ${MAX_EXPLAINED} changes`;

/** Dependencies of a comparison. */
export interface ComparisonContext {
  readonly authorize: Authorize;
  readonly now: Snapshot;
  /** The changed rules. */
  readonly rules: RuleSet;
  readonly past: Past;
  readonly keys: PastKeys;
  /** Undefined if neither the current rules nor the changed ones have spending limits. */
  readonly replay: Replay | undefined;
  readonly userIds: ReadonlySet<string> | undefined;
  readonly endSlice: EndSlice;
  /** The number of outcome changes that are explained. */
  readonly maxExplained: number;
  /** The changed organization, if it does not depend on the time of a request. By default that of the time, with the changed rules. */
  readonly after?: JudgedOrganization | undefined;
  /** The time, as of `performance.now()`, after which no further activity is judged. */
  readonly endAtMs?: number | undefined;
}

/** Authorizes past activities under the current rules and under changed ones. */
export class Comparison {
  readonly #context: ComparisonContext;
  readonly #isAsNow: (then: JudgedOrganization['policies']) => { readonly same: boolean };
  readonly #underNow: (then: JudgedOrganization) => JudgedOrganization;
  readonly #changed: (then: JudgedOrganization) => JudgedOrganization;
  readonly #names: ReadonlyMap<string, PolicyRecord>;
  /** Whether the change lists other tokens, so that it shows transactions in another way. */
  readonly #isReadAgain: boolean;

  constructor(context: ComparisonContext) {
    const { now, rules, after } = context;
    this.#context = context;
    this.#isAsNow = memoizeByRef((then) => ({ same: samePolicies(then, now.policies) }));
    this.#underNow = memoizeByRef((then) => ruled(then, { policies: now.policies, controls: now.records.velocityControl }));
    this.#changed = after === undefined ? memoizeByRef((then) => ruled(then, rules)) : () => after;
    this.#isReadAgain = after !== undefined && after.records.token !== now.records.token;
    this.#names = new Map([...now.policies, ...rules.policies]);
  }

  /** Replays activities in the order of their decisions. */
  async compare(records: readonly ActivityRecord[], totals: Totals): Promise<void> {
    const { userIds, past } = this.#context;
    totals.read += records.length;
    const due: PastDecision[] = [];
    for (const record of records) {
      const found = lastDecision(record);
      const isWanted = userIds === undefined || userIds.has(record.votes[0]?.userId ?? '');
      if (record.judgedBy !== undefined) isWanted && totals.unknown('JUDGED_BY_PARENT', record.id);
      else if (found === undefined) isWanted && totals.unknown('NO_DECISION_KEPT', record.id);
      else if (found.timestamp.atMs < past.knownSinceMs) isWanted && totals.unknown('TOO_LONG_AGO', record.id);
      // Limits count the activities of all users.
      else if (isWanted || this.#context.replay !== undefined) due.push(found);
    }
    const { endAtMs = Number.POSITIVE_INFINITY } = this.#context;
    for (const [index, decision] of due.sort((a, b) => compareTimestamps(a.timestamp, b.timestamp)).entries()) {
      if (performance.now() >= endAtMs) {
        totals.read -= due.length - index;
        return;
      }
      await this.#compareOne(decision, totals);
      await this.#context.endSlice();
    }
  }

  async #compareOne(decision: PastDecision, totals: Totals): Promise<void> {
    const { authorize, keys, past, replay, userIds, endSlice } = this.#context;
    const { record } = decision;
    const isWanted = userIds === undefined || userIds.has(record.votes[0]?.userId ?? '');
    // A full root quorum overrides all policies, but limits still count its activities.
    const isFree = isByRootQuorum(decision) && this.#isStillQuorum(decision);
    if (isFree && isWanted) totals.add('ALLOW', 'ALLOW');
    if (isFree && replay === undefined) return;
    // SECURITY: D332: a caller's policies could otherwise find out a masked token character by character.
    const view = hasMaskedParameters(record.type) ? undefined : await past.viewOf(decision);
    const one = view && (await pastCase(decision, view, keys));
    if (isFree) {
      if (one !== undefined) this.#count(one, 'ALLOW', 'ALLOW');
      return;
    }
    // Decisions of the root quorum store no subject, so only what is signed can be judged by policies.
    if (one === undefined || (isByRootQuorum(decision) && one.judgement.subject.key === undefined)) {
      if (isWanted) totals.unknown('NOT_UNDERSTOOD', record.id);
      return;
    }
    const then = past.isExact ? await decideAgain(authorize, one.judgement, endSlice) : undefined;
    if (then !== undefined && !isReproduced(one, then)) {
      if (isWanted) totals.unknown('NOT_REPRODUCED', record.id);
      return;
    }
    const changed = this.#changed(one.organization);
    const again = this.#isReadAgain && view ? await pastCase(decision, { ...view, organization: () => changed }, keys) : one;
    if (again === undefined) {
      if (isWanted) totals.unknown('NOT_UNDERSTOOD', record.id);
      return;
    }
    const before = await this.#decideNow(one, then);
    const judgement = withUsage(underRules(again, changed), replay?.after);
    const after = await decideAgain(authorize, judgement, endSlice);
    const outcomes = { before: outcomeOf(before, judgement), after: outcomeOf(after, judgement) };
    this.#count(one, outcomes.before, outcomes.after);
    if (!isWanted) return;
    totals.add(outcomes.before, outcomes.after);
    if (outcomes.before !== outcomes.after) {
      const reason = changeReason(before, after, this.#names);
      const explanation =
        totals.outcomeChanges.length < this.#context.maxExplained ? await this.#explain(judgement) : NOT_EXPLAINED;
      totals.outcomeChanges.push({ ...shown(decision), ...outcomes, reason, explanation });
    }
  }

  /** Whether those who approved as the root quorum are one after the change too. */
  #isStillQuorum({ votes }: PastDecision): boolean {
    const { after } = this.#context;
    if (after === undefined || after.profile.rootQuorum === this.#context.now.profile.rootQuorum) return true;
    const { threshold, userIds } = after.profile.rootQuorum;
    const approved = new Set(
      votes.filter(({ selection }) => selection === 'VOTE_SELECTION_APPROVED').map(({ userId }) => userId),
    );
    return userIds.filter((id) => approved.has(id)).length >= threshold;
  }

  async #decideNow(one: PastCase, then: Decision | undefined): Promise<Decision> {
    const { authorize, replay, endSlice } = this.#context;
    if (then !== undefined && replay === undefined && this.#isAsNow(one.organization.policies).same) return then;
    return decideAgain(authorize, withUsage(underRules(one, this.#underNow(one.organization)), replay?.before), endSlice);
  }

  async #explain(judgement: Judgement): Promise<string> {
    const { authorize, endSlice } = this.#context;
    const text = renderExplanation(await inSlices(authorize.explainInSteps(judgement), endSlice));
    return text.length > MAX_EXPLANATION ? `${text.slice(0, MAX_EXPLANATION)}…` : text;
  }

  /** Counts activities that would have been executed. An activity that was allowed but failed counts nothing. */
  #count(one: PastCase, before: Decision['outcome'], after: Decision['outcome']): void {
    const { replay } = this.#context;
    if (replay === undefined || (one.stored.outcome === 'ALLOW' && one.record.status !== 'ACTIVITY_STATUS_COMPLETED')) return;
    const isRoom =
      (before !== 'ALLOW' || replay.before.add(underRules(one, this.#underNow(one.organization)))) &&
      (after !== 'ALLOW' || replay.after.add(underRules(one, this.#changed(one.organization))));
    if (isRoom) return;
    throw new ServiceError(
      'LIMIT_EXCEEDED',
      'The spending limits count more activities in this range than a backtest can store. Choose a shorter range.',
    );
  }
}

function withUsage(judgement: Judgement, replay: UsageReplay | undefined): Judgement {
  return replay === undefined ? judgement : replay.before(judgement);
}

function ruled(then: JudgedOrganization, { policies, controls }: RuleSet): JudgedOrganization {
  return { ...then, policies, records: { ...then.records, velocityControl: controls } };
}

function shown({ record: { id: activityId, type, createdAtMs, votes }, stored }: PastDecision) {
  return { activityId, type, userId: votes[0]?.userId ?? '', createdAt: toTimestamp(createdAtMs), decided: stored.outcome };
}

function samePolicies(a: ReadonlyMap<string, PolicyRecord>, b: ReadonlyMap<string, PolicyRecord>): boolean {
  if (a.size !== b.size) return false;
  return [...a].every(([id, policy]) => JSON.stringify(b.get(id)) === JSON.stringify(policy));
}
