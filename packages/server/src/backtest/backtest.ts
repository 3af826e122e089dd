import { createSlices, nextTurn } from '../admission/index.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';
import type { Backtest, BacktestPart, BacktestRequest, BacktestServices, RuleSet } from './backtest-types.ts';
import { Comparison } from './comparison.ts';
import { readCursor, writeCursor } from './cursor.ts';
import type { HistoryCache } from './history-cache.ts';
import { PastKeys } from './history-cursor.ts';
import { beginRange } from './range.ts';
import { createReplays } from './replays.ts';
import type { Slots } from './slots.ts';
import { Totals } from './totals.ts';

/** A part ends early after this many outcome changes, because each includes its explanation. */
const MAX_OUTCOME_CHANGES = 200;
/** A part ends early after this time, so that no request takes long. */
const MAX_WORK_MS = 5_000;
const MAX_MARKS = 10_000;

export function createBacktest(
  services: BacktestServices,
  { histories, slots }: { histories: HistoryCache; slots: Slots },
): Backtest {
  const { activities, store, resources, authorize } = services;
  const replays = createReplays();

  return { run: (request) => slots.run(request.organization.id, () => runPart(request)) };

  async function runPart(request: BacktestRequest): Promise<BacktestPart> {
    const { organization, rules, range, limit } = request;
    const begun = request.cursor === undefined ? await beginRange(services, request) : undefined;
    const { afterId: from, endId, startedAtMs, replay: name } = begun ?? readCursor(request.cursor as string);
    const history = await histories.read(organization, startedAtMs);
    const replay = !hasLimits(organization, rules)
      ? undefined
      : name === undefined
        ? replays.begin()
        : replays.resume(organization.id, name, from);
    const userIds = range.userIds && new Set(range.userIds);
    const keys = new PastKeys(resources, organization);
    const endSlice = request.endSlice ?? createSlices(organization.id);
    const comparison = new Comparison({ authorize, now: organization, rules, history, keys, replay, userIds, endSlice });
    const filter = range.types ? { types: range.types } : {};
    const totals = new Totals();
    const endAtMs = performance.now() + MAX_WORK_MS;
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
    await countArchived(organization.id, from, isOver ? endId : afterId, totals);
    if (replay !== undefined && !isOver) replays.save(organization.id, replay, afterId);
    return {
      report: totals.report(replay === undefined ? [] : [fromNothing]),
      ...(begun && { total: begun.total }),
      ...(!isOver && { next: writeCursor({ afterId, endId, startedAtMs, replay: replay?.name }) }),
    };
  }

  /** Only signatures are archived, and their marks do not contain the type. */
  async function countArchived(organizationId: string, afterId: string, untilId: string, totals: Totals): Promise<void> {
    for (const { activityId } of await store.archive.scan(organizationId, afterId, MAX_MARKS)) {
      if (activityId <= untilId) totals.unknown('ARCHIVED', activityId);
    }
  }
}

const fromNothing =
  'Limits over time begin with nothing at the start of the range, and count only what is in it. Begin one window earlier than what you want to know about.';

function hasLimits({ records }: Snapshot, { controls }: RuleSet): boolean {
  return records.velocityControl.size + controls.size > 0;
}
