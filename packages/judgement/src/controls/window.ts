import type { CalendarUnit } from '@countersign/contract';
import { findZone } from '@countersign/policy';
import { modelOf } from './model.ts';
import type { VelocityControlRecord } from './record.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/**
 * The cutoff of a control's window at a time, in milliseconds. Amounts counted at or before the cutoff no longer count. Undefined if
 * everything counts.
 */
export function windowStart(record: VelocityControlRecord, nowMs: number): number | undefined {
  const { window } = modelOf(record);
  if (window.kind === 'INFINITE') return undefined;
  if (window.kind === 'ROLLING') return nowMs - window.durationMs;
  return periodAt(window.unit, window.timeZone, nowMs).startMs - 1;
}

/** When an amount that was counted at a time stops counting, in milliseconds. Undefined if it never does. */
export function countsUntil(record: VelocityControlRecord, countedAtMs: number): number | undefined {
  const { window } = modelOf(record);
  if (window.kind === 'INFINITE') return undefined;
  if (window.kind === 'ROLLING') return countedAtMs + window.durationMs;
  return periodAt(window.unit, window.timeZone, countedAtMs).endMs;
}

/** A day, a week or a month: from its first millisecond to the first millisecond of the next one. */
export interface Period {
  readonly startMs: number;
  readonly endMs: number;
}

/** The last period of each unit and zone. Zones change their offset only at whole minutes, so each minute lies in one period. */
const known = new Map<string, { readonly minute: number; readonly period: Period }>();
const MAX_KNOWN = 1000;

/** The calendar period that contains a time. Throws if the zone does not exist. New controls are checked for that. */
export function periodAt(unit: CalendarUnit, timeZone: string, nowMs: number): Period {
  const key = `${unit} ${timeZone}`;
  const minute = Math.floor(nowMs / MINUTE);
  const last = known.get(key);
  if (last?.minute === minute) return last.period;
  const period = computePeriod(unit, timeZone, nowMs);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(key, { minute, period });
  return period;
}

function computePeriod(unit: CalendarUnit, timeZone: string, nowMs: number): Period {
  const offset = findZone(timeZone);
  if (offset === undefined) throw new Error(`there is no time zone ${timeZone}`);
  const local = nowMs + offset(nowMs);
  const first = firstDay(unit, local);
  return { startMs: instantOf(first, offset), endMs: instantOf(nextFirstDay(unit, first), offset) };
}

/** Midnight of the first day of the period, as if the zone were UTC. */
function firstDay(unit: CalendarUnit, localMs: number): number {
  const midnight = Math.floor(localMs / DAY) * DAY;
  const date = new Date(midnight);
  switch (unit) {
    case 'VELOCITY_CONTROL_CALENDAR_UNIT_DAY':
      return midnight;
    // ISO 8601: a week begins on Monday.
    case 'VELOCITY_CONTROL_CALENDAR_UNIT_WEEK':
      return midnight - ((date.getUTCDay() + 6) % 7) * DAY;
    case 'VELOCITY_CONTROL_CALENDAR_UNIT_MONTH':
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  }
}

function nextFirstDay(unit: CalendarUnit, first: number): number {
  const date = new Date(first);
  if (unit === 'VELOCITY_CONTROL_CALENDAR_UNIT_MONTH') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  return first + (unit === 'VELOCITY_CONTROL_CALENDAR_UNIT_WEEK' ? 7 : 1) * DAY;
}

/**
 * The first instant at which clocks of the zone show a local time, or a later time if they skip it.
 * SECURITY: if clocks show midnight twice, the earlier instant counts: the longer period frees nothing early.
 */
function instantOf(localMs: number, offset: (instantMs: number) => number): number {
  const offsets = [offset(localMs - DAY - 14 * 60 * MINUTE), offset(localMs + DAY + 14 * 60 * MINUTE)];
  const shows = offsets.map((each) => localMs - each).filter((instant) => instant + offset(instant) === localMs);
  if (shows.length > 0) return Math.min(...shows);
  let [before, after] = [localMs - Math.max(...offsets), localMs - Math.min(...offsets)];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (middle + offset(middle) >= localMs) after = middle;
    else before = middle;
  }
  return after;
}
