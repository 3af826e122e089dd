import type { BacktestReportShape } from '@countersign/contract';
import { createSlices, type EndSlice, nextTurn } from '../admission/index.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';
import type { Backtest, BacktestPart, BacktestRequest, BacktestServices, RuleSet, SampleRequest } from './backtest-types.ts';
import { Comparison, MAX_EXPLAINED } from './comparison.ts';
import { readCursor, writeCursor } from './cursor.ts';
import type { HistoryCache } from './history-cache.ts';
import { PastKeys } from './history-cursor.ts';
import { exactPast, type Past, presentPast } from './past.ts';
import { beginRange } from './range.ts';
import { createReplays, type Replay } from './replays.ts';
import type { Slots } from './slots.ts';
import { Totals } from './totals.ts';

/** A part ends early after this many outcome changes, because each includes its explanation. */
const MAX_OUTCOME_CHANGES = 200;
/** A part ends early after this time, so that no request takes long. */
const MAX_WORK_MS = 5_000;
const MAX_MARKS = 10_000;
/** The newest activities of a sample. */
const SAMPLED = 100;

export function createBacktest(
  services: BacktestServices,
  { histories, slots }: { histories: HistoryCache; slots: Slots },
): Backtest {
  const { activities, store, resources, authorize } = services;
  const replays = createReplays();

  return { run: (request) => slots.run(request.organization.id, () => runPart(request)), sample };

  async function runPart(request: BacktestRequest): Promise<BacktestPart> {
    const { organization, rules } = request;
    const begun = request.cursor === undefined ? await beginRange(services, request) : undefined;
    const { afterId: from, endId, startedAtMs, replay: name } = begun ?? readCursor(request.cursor as string);
    const past = exactPast(await histories.read(organization, startedAtMs));
    const replay = !hasLimits(organization, rules)
      ? undefined
      : name === undefined
        ? replays.begin()
        : replays.resume(organization.id, name, from);
    const endSlice = request.endSlice ?? createSlices(organization.id);
    const how = { from, endId, past, replay, endSlice, maxExplained: MAX_EXPLAINED };
    const { totals, afterId, isOver } = await compareRange(request, how);
    await countArchived(organization.id, from, isOver ? endId : afterId, totals);
    if (replay !== undefined && !isOver) replays.save(organization.id, replay, afterId);
    return {
      report: totals.report(replay === undefined ? [] : [fromNothing]),
      ...(begun && { total: begun.total }),
      ...(!isOver && { next: writeCursor({ afterId, endId, startedAtMs, replay: replay?.name }) }),
    };
  }

  /** SECURITY: D517: every change of policies causes one, so its cost does not depend on the length of the history. */
  async function sample({ organization, after, endSlice }: SampleRequest): Promise<BacktestReportShape> {
    const rules = { policies: after.policies, controls: after.records.velocityControl };
    const range = { last: SAMPLED };
    const { afterId: from, endId } = await beginRange(services, { organization, range, limit: SAMPLED });
    const replay = hasLimits(organization, rules) ? replays.begin() : undefined;
    const past = presentPast(organization, resources);
    const how = { from, endId, past, replay, endSlice, maxExplained: 0, after };
    const { totals } = await compareRange({ organization, rules, range, limit: SAMPLED }, how);
    return totals.report();
  }

  /** Compares the activities of a range, oldest first, until a bound is reached. */
  async function compareRange(
    { organization, rules, range, limit }: BacktestRequest,
    { from, endId, past, replay, endSlice, maxExplained, after }: How,
  ): Promise<{ readonly totals: Totals; readonly afterId: string; readonly isOver: boolean }> {
    const endAtMs = performance.now() + MAX_WORK_MS;
    const userIds = range.userIds && new Set(range.userIds);
    const keys = new PastKeys(resources, organization);
    const comparison = new Comparison({
      authorize,
      now: organization,
      rules,
      past,
      keys,
      replay,
      userIds,
      endSlice,
      maxExplained,
      ...(after && { after }),
      ...(!past.isExact && { endAtMs }),
    });
    const filter = range.types ? { types: range.types } : {};
    const totals = new Totals();
    let afterId = from;
    let left = limit;
    let isOver = true;
    for await (const part of activities.pageParts(organization.id, filter, { limit, before: from }, endSlice)) {
      const records = part.filter(({ id }) => id < endId).toReversed();
      await comparison.compare(records, totals);
      afterId = records.at(-1)?.id ?? afterId;
      left -= records.length;
      isOver = records.length < part.length;
      if (isOver || left === 0 || totals.outcomeChanges.length >= MAX_OUTCOME_CHANGES || performance.now() >= endAtMs) break;
      isOver = true;
      await nextTurn(organization.id);
    }
    return { totals, afterId, isOver };
  }

  /** Only signatures are archived, and neither marks nor spans contain the type. Marks of spans are those that votes can name. */
  async function countArchived(organizationId: string, afterId: string, untilId: string, totals: Totals): Promise<void> {
    for (const { activityId } of await store.archive.scan(organizationId, afterId, MAX_MARKS)) {
      if (activityId <= untilId && (await store.log.spansAround(organizationId, activityId)).length === 0)
        totals.unknown('ARCHIVED', activityId);
    }
    for (const { lastId, activities } of await store.archive.spans(organizationId, afterId, MAX_MARKS)) {
      if (lastId <= untilId) totals.unknown('ARCHIVED', lastId, activities);
    }
  }
}

/** How a range is compared. */
interface How {
  readonly from: string;
  readonly endId: string;
  readonly past: Past;
  readonly replay: Replay | undefined;
  readonly endSlice: EndSlice;
  readonly maxExplained: number;
  /** The changed organization, if every request is judged in one and the same. */
  readonly after?: Snapshot;
}

const fromNothing =
  'Limits over time begin with nothing at the start of the range, and count only what is in it. Begin one window earlier than what you want to know about.';

function hasLimits({ records }: Snapshot, { controls }: RuleSet): boolean {
  return records.velocityControl.size + controls.size > 0;
}
