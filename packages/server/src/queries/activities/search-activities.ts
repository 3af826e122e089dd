import { type ActivityDetails, queries } from '@countersign/contract';
import { isOwnActivity } from '@countersign/judgement';
import type { z } from 'zod';
import { lowestIdAt } from '../../backtest/timestamp.ts';
import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import { type QueryContext, resolveScoped } from '../../pipeline/query.ts';
import { firstUnindexedMinute } from '../../search/index-activities.ts';
import { candidateMinutes, type MinuteRange, minuteOf, startOf, timeOfId } from '../../search/minutes.ts';
import { matches, requiredTerms } from '../../search/search-filter.ts';
import { type KeyReader, term } from '../../search/terms.ts';
import type { ActivityFilter } from '../../store/store.ts';
import { collect } from '../collect.ts';
import { each } from '../page.ts';
import { shortenVotes, showListed } from './show-listed.ts';

/** Approximate number of bytes of the stored activities that are in memory at a time. */
const PART_BYTES = 2_097_152;
/** The activities, and the characters of their votes, that one response is searched in. A further request continues. */
const MAX_SEARCHED = 1_000;
const MAX_SEARCHED_CHARACTERS = 8_000_000;
const DEFAULT_LIMIT = 10;
/** Pending activities that are searched for those that the caller may approve. */
const MAX_PENDING = 200;

type Asked = z.output<typeof queries.searchActivities.input>;

/** Where a search looks, and what it may find. */
interface Scope {
  readonly terms: readonly string[];
  /** Minutes to search in addition to those with all terms. */
  readonly alsoIn: readonly number[];
  mayShow(record: ActivityRecord): boolean;
  /** Where to continue if the search ends after this activity, which it does not show. */
  cursorAfter(id: string): string;
}

export const searchActivities = resolveScoped(queries.searchActivities, {
  async all(context, asked) {
    const keys = createKeyReader(context);
    const scope = {
      terms: await requiredTerms(asked, keys),
      alsoIn: [],
      mayShow: () => true,
      cursorAfter: (id: string) => id,
    };
    return search(context, asked, scope, keys);
  },

  /**
   * SECURITY: D820: the terms of the search are not looked up, so neither the response nor the work depends on activities of others: only
   * the minutes of the caller's own activities are read. A search that ends within a minute continues before it, because an id would tell
   * when somebody else acted.
   */
  async own(context, asked) {
    const { userId } = context.caller;
    const alsoIn = new Set<number>();
    const pending: ActivityFilter = { statuses: ['ACTIVITY_STATUS_CONSENSUS_NEEDED'] };
    const parts = context.activities.pageParts(context.organization.id, pending, { limit: MAX_PENDING }, context.endSlice);
    for await (const records of parts)
      for (const record of records) if (isOwnActivity(record, userId)) alsoIn.add(minuteOf(timeOfId(record.id) ?? 0));
    const scope = {
      terms: [term.user(userId)],
      alsoIn: [...alsoIn].sort((a, b) => b - a),
      mayShow: (record: ActivityRecord) => isOwnActivity(record, userId),
      cursorAfter: (id: string) => lowestIdAt(startOf(minuteOf(timeOfId(id) ?? 0))),
    };
    return search(context, asked, scope, createKeyReader(context));
  },
});

async function search(context: QueryContext, asked: Asked, scope: Scope, keys: KeyReader) {
  const { activities, organization, endSlice, store, nowMs } = context;
  const { filterByStatus, filterByType, since, until, cursor, limit = DEFAULT_LIMIT } = asked;
  context.reserve(PART_BYTES);
  const filter = { ...(filterByStatus && { statuses: filterByStatus }), ...(filterByType && { types: filterByType }) };
  const span = spanOf({ since, until, cursor }, nowMs);
  const unindexed = await firstUnindexedMinute(store, nowMs);
  const candidates = candidateMinutes(store.terms, organization.id, scope.terms, span.minutes, unindexed);
  const found: ActivityDetails[] = [];
  let left = MAX_SEARCHED;
  let characters = 0;

  for await (const { newest, oldest } of withAlso(candidates.ranges, scope.alsoIn, span.minutes)) {
    const page = {
      limit: left,
      after: lowest(span.below, lowestIdAt(startOf(newest + 1))),
      before: highest(span.above, lowestIdAt(startOf(oldest))),
    };
    for await (const records of activities.pageParts(organization.id, filter, page, endSlice)) {
      const matching: ActivityRecord[] = [];
      for (const record of records) {
        left--;
        for (const { message } of record.votes) characters += message.length;
        if (!scope.mayShow(record) || !(await matches(record, asked, keys))) continue;
        matching.push(record);
        if (found.length + matching.length === limit) break;
      }
      const shown = await collect(
        context,
        each(matching, (record) => showListed(record, context.showActivity)),
        shortenVotes,
      );
      found.push(...shown.items);
      if (found.length >= limit) return stopped(found, found.at(-1)?.id as string);
      if (left <= 0 || characters > MAX_SEARCHED_CHARACTERS)
        return stopped(found, scope.cursorAfter(records.at(-1)?.id as string));
    }
  }
  const at = candidates.stoppedAt();
  return at === undefined ? { activities: found } : stopped(found, lowestIdAt(startOf(at + 1)));
}

function stopped(activities: ActivityDetails[], next: string) {
  return { activities, searchedTo: String(timeOfId(next) ?? 0), next };
}

/** The ids and minutes that a search covers. Ids are below `below` and above `above`. */
function spanOf({ since = '0', until, cursor }: Pick<Asked, 'since' | 'until' | 'cursor'>, nowMs: number) {
  // Clocks of nodes differ a little.
  const end = until === undefined ? nowMs + 3_600_000 : Number(until);
  const below = lowest(lowestIdAt(end), cursor ?? HIGHEST_ID);
  const above = lowestIdAt(Number(since));
  const newestMs = (timeOfId(below) as number) - (below === lowestIdAt(timeOfId(below) as number) ? 1 : 0);
  return { below, above, minutes: { newest: minuteOf(newestMs), oldest: minuteOf(Number(since)) } };
}

const HIGHEST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const lowest = (a: string, b: string) => (a < b ? a : b);
const highest = (a: string, b: string) => (a > b ? a : b);

/** Adds single minutes to ranges, in order, and each minute once. */
async function* withAlso(
  ranges: AsyncIterable<MinuteRange>,
  also: readonly number[],
  within: MinuteRange,
): AsyncGenerator<MinuteRange> {
  const rest = also.filter((minute) => minute <= within.newest && minute >= within.oldest);
  for await (const range of ranges) {
    while (rest[0] !== undefined && rest[0] > range.newest) yield single(rest.shift() as number);
    while (rest[0] !== undefined && rest[0] >= range.oldest) rest.shift();
    yield range;
  }
  for (const minute of rest) yield single(minute);
}

const single = (minute: number): MinuteRange => ({ newest: minute, oldest: minute });

/** Reads the keys that activities name, each once for a search. */
function createKeyReader({ resources, organization }: QueryContext): KeyReader {
  return {
    walletOf: once(async (accountId) => (await resources.get(organization.id, 'walletAccount', accountId))?.parentId),
    idsOf: once(async (address) => (await resources.keysOf(organization.id, address)).map(({ id }) => id)),
  };
}

/** Memoizes a read by its key. */
function once<Value>(read: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
  const known = new Map<string, Promise<Value>>();
  return (key) => {
    const value = known.get(key) ?? read(key);
    known.set(key, value);
    return value;
  };
}
