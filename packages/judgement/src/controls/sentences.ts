import { assetInfo } from '@countersign/chains';
import { memoizeByRef } from '@countersign/collections';
import type { CalendarUnit } from '@countersign/contract';
import type { JudgedOrganization } from '../organization.ts';
import { tokenListOf } from '../signing-context.ts';
import type { Count, Counted } from './amounts.ts';
import { ONE, showAmount } from './decimal.ts';
import { type Comparison, type ControlModel, modelOf, type Window } from './model.ts';
import type { VelocityControlRecord } from './record.ts';
import type { FreesUp, Usage, UsageByBucket } from './usage.ts';
import { comparisonAt, controlValue } from './value.ts';

/**
 * The numbers behind a control, as a sentence without its subject: `would bring the last 24 h to 104,000 of 100,000 USDC; 6,000 free up at
 * 14:05`. If there are several buckets, it describes the one that determines the value.
 */
export function sentenceOf(
  counted: Counted,
  usages: UsageByBucket | undefined,
  organization: JudgedOrganization,
  nowMs: number,
): string {
  const value = controlValue(counted, usages, nowMs);
  if (typeof value === 'object') return `the limit "${counted.control.name}" cannot be judged: ${value.unread}`;
  const buckets = counted.counts.map((count) => ({ count, usage: usages?.get(count.bucket) as Usage }));
  const deciding =
    (buckets.length === 1 ? buckets[0] : undefined) ??
    buckets.find(({ count, usage }) => {
      const one = { ...counted, counts: [count] };
      return controlValue(one, new Map([[count.bucket, usage]]), nowMs) === value;
    }) ??
    buckets[0];
  if (deciding === undefined) return 'counts nothing in this request';
  return bucketSentence(counted.control, deciding.count, deciding.usage, organization, nowMs);
}

function bucketSentence(
  control: VelocityControlRecord,
  { amount, group }: Count,
  usage: Usage,
  organization: JudgedOrganization,
  nowMs: number,
): string {
  const { used } = usage;
  const whose = group.key === '' ? '' : ` for ${group.key}`;
  const { span } = wordsOf(control);
  const comparison = comparisonAt(control, nowMs);
  if (comparison === undefined)
    return used === 0n && amount > 0n ? `is the first in ${span}${whose}` : `is not the first in ${span}${whose}`;
  const unit = unitOf(control, organization);
  const sum = `would bring ${span}${whose} to ${showAmount(used + amount)} of ${thresholdText(comparison).text}${unit}`;
  const excess = used + amount - comparison.threshold;
  // Amounts that free up matter only if the limit is exceeded.
  const frees = excess > 0n ? freeing(usage.freesUp ?? [], excess, nowMs) : undefined;
  return frees === undefined ? sum : `${sum}; ${frees}`;
}

/** When enough frees up, or else all that is known to free up. */
function freeing(freesUp: readonly FreesUp[], excess: bigint, nowMs: number): string | undefined {
  let sum = 0n;
  let last: FreesUp | undefined;
  for (last of freesUp) {
    sum += last.amount;
    if (sum >= excess) break;
  }
  if (last === undefined) return undefined;
  const free = `${showAmount(sum)} ${sum === ONE ? 'frees' : 'free'} up at ${showTime(last.atMs, nowMs)}`;
  return excess > 0n && sum < excess ? `${free}, which is not enough` : free;
}

/** How much of a limit is used, as a sentence. */
export function usageSentence(
  control: VelocityControlRecord,
  { used, freesUp = [] }: Usage,
  organization: JudgedOrganization,
  nowMs: number,
): string {
  const { span } = wordsOf(control);
  const unit = unitOf(control, organization);
  const comparison = comparisonAt(control, nowMs);
  if (comparison === undefined) return used === 0n ? `nothing in ${span}` : `${showAmount(used)} in ${span}`;
  const left = comparison.threshold > used ? comparison.threshold - used : 0n;
  const state = `${showAmount(used)} of ${showAmount(comparison.threshold)}${unit} used in ${span}, ${showAmount(left)} left`;
  const frees = freeing(freesUp, 0n, nowMs);
  return frees === undefined ? state : `${state}; ${frees}`;
}

const wordsOf = memoizeByRef((control: VelocityControlRecord) => ({ span: spanOf(modelOf(control).window) }));

const thresholdText = memoizeByRef(({ threshold }: Comparison) => ({ text: showAmount(threshold) }));

const calendarWords: Readonly<Record<CalendarUnit, string>> = {
  VELOCITY_CONTROL_CALENDAR_UNIT_DAY: 'this day',
  VELOCITY_CONTROL_CALENDAR_UNIT_WEEK: 'this week',
  VELOCITY_CONTROL_CALENDAR_UNIT_MONTH: 'this month',
};

const HOUR = 3_600_000;

/** The window in words: `the last 24 h`, `this month in Europe/Zurich`, `all time`. */
export function spanOf(window: Window): string {
  if (window.kind === 'INFINITE') return 'all time';
  if (window.kind === 'CALENDAR') return `${calendarWords[window.unit]} in ${window.timeZone}`;
  return `the last ${showDuration(window.durationMs)}`;
}

function showDuration(ms: number): string {
  if (ms % HOUR === 0) return ms <= 48 * HOUR || ms % (24 * HOUR) !== 0 ? `${ms / HOUR} h` : `${ms / (24 * HOUR)} days`;
  return ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1000} s`;
}

const MINUTE = 60_000;
const DAY = 24 * HOUR;

/** The time in UTC, with the date unless it is today. Rounded up, because nothing frees up earlier. */
function showTime(atMs: number, nowMs: number): string {
  const minute = Math.ceil(atMs / MINUTE);
  // Explanations of one limit often format the same minute many times.
  if (lastTime.minute !== minute) {
    const text = new Date(minute * MINUTE).toISOString();
    lastTime = { minute, day: text.slice(0, 10), time: `${text.slice(11, 16)} UTC` };
  }
  const isToday = Math.floor((minute * MINUTE) / DAY) === Math.floor(nowMs / DAY);
  return isToday ? lastTime.time : `${lastTime.day} ${lastTime.time}`;
}

let lastTime = { minute: 0, day: '1970-01-01', time: '00:00 UTC' };

/** Units by the token list that they were found in, which rarely changes. */
const units = memoizeByRef((_: VelocityControlRecord) => new WeakMap<JudgedOrganization['records']['token'], string>());

/** The unit of a control's numbers: the symbol of its assets, if they share one and all rates are 1. */
export function unitOf(control: VelocityControlRecord, { records }: JudgedOrganization): string {
  const model: ControlModel = modelOf(control);
  if (model.method !== 'SUM' || model.assets === undefined) return model.assets === undefined ? ' activities' : ' transfers';
  const known = units(control);
  const unit = known.get(records.token) ?? symbolOf(model.assets, records);
  known.set(records.token, unit);
  return unit;
}

function symbolOf(assets: NonNullable<ControlModel['assets']>, records: JudgedOrganization['records']): string {
  if ([...assets.values()].some(({ rate }) => rate !== ONE)) return '';
  const tokens = tokenListOf(records.token);
  const symbols = new Set([...assets.keys()].map((id) => assetInfo(id, tokens)?.symbol));
  const [symbol] = symbols;
  return symbols.size === 1 && symbol !== undefined ? ` ${symbol}` : '';
}
