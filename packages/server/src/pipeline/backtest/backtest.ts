import type { BacktestReportShape } from '@countersign/contract';
import { derived, type JudgedOrganization, type PolicyRecord } from '@countersign/judgement';
import { renderExplanation } from '@countersign/policy';
import type { ActivityRecord } from '../../organizations/activity-record.ts';
import { toTimestamp } from '../../organizations/show.ts';
import type { PipelineServices } from '../services.ts';
import { breathe } from './breathe.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { flipReason, outcomeOf } from './flip.ts';
import { compareMoments } from './moment.ts';
import {
  decideAgain,
  isByRootQuorum,
  isReproduced,
  lastDecision,
  type PastDecision,
  pastCase,
  underPolicies,
} from './past-case.ts';
import type { PastChanges } from './past-changes.ts';
import { PastKeys, PastWalk } from './past-walk.ts';
import type { Pasts } from './pasts.ts';
import { beginRange, type RangeRequest } from './range.ts';
import type { Slots } from './slots.ts';
import { Tally } from './tally.ts';

/** Which past activities to judge again, and under what. */
export interface BacktestRequest extends RangeRequest {
  /** The changed policies. */
  readonly policies: ReadonlyMap<string, PolicyRecord>;
}

export interface BacktestPart {
  readonly report: BacktestReportShape;
  /** How many activities the range has. Undefined for a part that goes on. */
  readonly total?: number;
  readonly next?: string;
}

export interface Backtest {
  /** Judges a part of the past again. Read-only. Throws RATE_LIMIT_EXCEEDED where too much of this goes on. */
  run(request: BacktestRequest): Promise<BacktestPart>;
}

/** Activities that are judged before others get their turn. */
const SLICE = 50;
/** A part ends early with so many flips, because each comes with its explanation. */
const MAX_FLIPS = 200;
const MAX_EXPLANATION = 4_000;
/** A part ends early after this time, so that no request takes long. */
const MAX_WORK_MS = 5_000;
const MAX_MARKS = 10_000;

type Services = Pick<PipelineServices, 'activities' | 'store' | 'clock' | 'resources' | 'authorize'>;

export function createBacktest(services: Services, { pasts, slots }: { pasts: Pasts; slots: Slots }): Backtest {
  const { activities, store, resources, authorize } = services;

  return { run: (request) => slots.run(request.organization.id, () => runPart(request)) };

  async function runPart(request: BacktestRequest): Promise<BacktestPart> {
    const begun = request.cursor === undefined ? await beginRange(services, request) : undefined;
    const { afterId: from, endId, startedAtMs } = begun ?? readCursor(request.cursor as string);
    const { organization, range, limit } = request;
    const filter = range.types ? { types: range.types } : {};
    const past = await pasts.of(organization, startedAtMs);
    const judge = judgeOf(request, past);
    const tally = new Tally();
    const endAtMs = performance.now() + MAX_WORK_MS;
    let afterId = from;
    let isOver = false;
    while (!isOver && tally.read < limit && tally.flips.length < MAX_FLIPS && performance.now() < endAtMs) {
      const size = Math.min(SLICE, limit - tally.read);
      const page = await activities.page(organization.id, filter, { limit: size, before: afterId });
      const records = page.filter(({ id }) => id < endId).toReversed();
      isOver = records.length < size;
      await judge(records, tally);
      afterId = records.at(-1)?.id ?? afterId;
      await breathe();
    }
    await countArchived(organization.id, from, isOver ? endId : afterId, tally);
    return {
      report: tally.report(),
      ...(begun && { total: begun.total }),
      ...(!isOver && { next: writeCursor({ afterId, endId, startedAtMs }) }),
    };
  }

  /** Only signatures are archived, and their marks do not say which. */
  async function countArchived(organizationId: string, afterId: string, untilId: string, tally: Tally): Promise<void> {
    for (const { activityId } of await store.archive.scan(organizationId, afterId, MAX_MARKS)) {
      if (activityId <= untilId) tally.unknown('ARCHIVED', activityId);
    }
  }

  function judgeOf({ organization: now, policies, range: { userIds } }: BacktestRequest, past: PastChanges) {
    const walk = new PastWalk(past);
    const keys = new PastKeys(resources, now);
    const wanted = userIds && new Set(userIds);
    const isAsNow = derived((then: JudgedOrganization['policies']) => ({ same: samePolicies(then, now.policies) }));
    const underNow = derived((then: JudgedOrganization): JudgedOrganization => ({ ...then, policies: now.policies }));
    const changed = derived((then: JudgedOrganization): JudgedOrganization => ({ ...then, policies }));
    const names = new Map([...now.policies, ...policies]);

    return async function judge(records: readonly ActivityRecord[], tally: Tally): Promise<void> {
      tally.read += records.length;
      const due: PastDecision[] = [];
      for (const record of records) {
        if (wanted !== undefined && !wanted.has(record.votes[0]?.userId ?? '')) continue;
        const found = lastDecision(record);
        if (record.judgedBy !== undefined) tally.unknown('JUDGED_BY_PARENT', record.id);
        else if (found === undefined) tally.unknown('NO_DECISION_KEPT', record.id);
        else if (found.moment.atMs < past.knownSinceMs) tally.unknown('TOO_LONG_AGO', record.id);
        else due.push(found);
      }
      for (const decision of due.sort((a, b) => compareMoments(a.moment, b.moment))) await judgeOne(decision, tally);
    };

    async function judgeOne(decision: PastDecision, tally: Tally): Promise<void> {
      const { record, kept, moment } = decision;
      // A full root quorum comes before all policies.
      if (isByRootQuorum(decision)) {
        tally.add('ALLOW', 'ALLOW');
        return;
      }
      const one = await pastCase(decision, walk.at(moment), keys);
      if (one === undefined) {
        tally.unknown('NOT_UNDERSTOOD', record.id);
        return;
      }
      const then = decideAgain(authorize, one.judgement);
      if (!isReproduced(decision, then)) {
        tally.unknown('NOT_REPRODUCED', record.id);
        return;
      }
      const { organization } = one;
      const before = isAsNow(organization.policies).same
        ? then
        : decideAgain(authorize, underPolicies(one, underNow(organization)));
      const judgement = underPolicies(one, changed(organization));
      const after = decideAgain(authorize, judgement);
      const outcomes = { before: outcomeOf(before, judgement), after: outcomeOf(after, judgement) };
      tally.add(outcomes.before, outcomes.after);
      if (outcomes.before === outcomes.after) return;
      const { id: activityId, type, createdAtMs, votes } = record;
      const text = renderExplanation(authorize.explain(judgement));
      tally.flips.push({
        activityId,
        type,
        userId: votes[0]?.userId ?? '',
        createdAt: toTimestamp(createdAtMs),
        decided: kept.outcome,
        ...outcomes,
        reason: flipReason(before, after, names),
        explanation: text.length > MAX_EXPLANATION ? `${text.slice(0, MAX_EXPLANATION)}…` : text,
      });
    }
  }
}

function samePolicies(a: ReadonlyMap<string, PolicyRecord>, b: ReadonlyMap<string, PolicyRecord>): boolean {
  if (a.size !== b.size) return false;
  return [...a].every(([id, policy]) => JSON.stringify(b.get(id)) === JSON.stringify(policy));
}
