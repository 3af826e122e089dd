import type { BacktestReportShape } from '@countersign/contract';
import { derived, type JudgedOrganization, type PolicyRecord } from '@countersign/judgement';
import { renderExplanation } from '@countersign/policy';
import { LRUCache } from 'lru-cache';
import type { ActivityRecord } from '../../organizations/activity-record.ts';
import { toTimestamp } from '../../organizations/show.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import type { PipelineServices } from '../services.ts';
import { breathe } from './breathe.ts';
import { type BacktestCursor, readCursor, writeCursor } from './cursor.ts';
import { flipReason, outcomeOf } from './flip.ts';
import { compareMoments, lowestIdAt } from './moment.ts';
import {
  decideAgain,
  isByRootQuorum,
  isReproduced,
  lastDecision,
  type PastDecision,
  pastCase,
  underPolicies,
} from './past-case.ts';
import { type PastChanges, readPastChanges } from './past-changes.ts';
import { PastKeys, PastWalk } from './past-walk.ts';
import { createSlots } from './slots.ts';
import { Tally } from './tally.ts';

/** Which past activities to judge again, and under what. */
export interface BacktestRequest {
  readonly organization: Snapshot;
  /** The changed policies. */
  readonly policies: ReadonlyMap<string, PolicyRecord>;
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
  readonly last?: number | undefined;
  readonly types?: readonly string[] | undefined;
  readonly userIds?: readonly string[] | undefined;
  /** How many activities to read. */
  readonly limit: number;
  readonly cursor?: string | undefined;
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
/** Most activities that are counted for a range. */
const MAX_COUNTED = 1_000_000;
const MAX_MARKS = 10_000;
const HIGHEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

type Services = Pick<PipelineServices, 'activities' | 'store' | 'clock' | 'resources' | 'authorize'>;

export function createBacktest(services: Services): Backtest {
  const { activities, store, clock, resources, authorize } = services;
  const slots = createSlots();
  const pasts = new LRUCache<string, Promise<PastChanges>>({ max: 8 });

  /** What changed the organization, at least until a time. */
  async function pastOf(organization: Snapshot, untilMs: number): Promise<PastChanges> {
    const known = await pasts.get(organization.id)?.catch(() => undefined);
    if (known !== undefined && (known.version === organization.version || known.builtAtMs >= untilMs)) return known;
    const reading = readPastChanges(services, organization);
    pasts.set(organization.id, reading);
    reading.catch(() => pasts.delete(organization.id));
    return reading;
  }

  return { run: (request) => slots.run(request.organization.id, () => runPart(request)) };

  async function begin(request: BacktestRequest): Promise<BacktestCursor & { readonly total: number }> {
    const { organization, sinceMs = 0, untilMs, last, types = [] } = request;
    const startedAtMs = clock.nowMs();
    const endId = untilMs === undefined ? HIGHEST_ID : lowestIdAt(untilMs);
    const span = { above: lowestIdAt(sinceMs), below: endId, types };
    const first = last === undefined ? undefined : await store.activities.newest(organization.id, span, last);
    const above = first ?? span.above;
    const total = await store.activities.count(organization.id, { ...span, above }, MAX_COUNTED);
    return { afterId: above, endId, startedAtMs, total: last === undefined ? total : Math.min(total, last) };
  }

  async function runPart(request: BacktestRequest): Promise<BacktestPart> {
    const begun = request.cursor === undefined ? await begin(request) : undefined;
    const { afterId: from, endId, startedAtMs } = begun ?? readCursor(request.cursor as string);
    const { organization, types, limit } = request;
    const past = await pastOf(organization, startedAtMs);
    const judge = judgeOf(request, past);
    const tally = new Tally();
    const endAtMs = performance.now() + MAX_WORK_MS;
    let afterId = from;
    let isOver = false;
    while (!isOver && tally.read < limit && tally.flips.length < MAX_FLIPS && performance.now() < endAtMs) {
      const size = Math.min(SLICE, limit - tally.read);
      const page = await activities.page(organization.id, types ? { types } : {}, { limit: size, before: afterId });
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

  function judgeOf({ organization: now, policies, userIds }: BacktestRequest, past: PastChanges) {
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
