import { words } from '../words/index.ts';

/** A time in the format of the service. */
export interface Timestamp {
  readonly seconds: string;
}

export const toMs = ({ seconds }: Timestamp): number => Number(seconds) * 1000;

/** Relative time; the date after a week. */
export function ago(timestamp: Timestamp, nowMs = Date.now()): string {
  const minutes = Math.floor((nowMs - toMs(timestamp)) / 60_000);
  if (minutes < 1) return words.time.justNow;
  if (minutes < 60) return words.time.minutes(minutes);
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return words.time.hours(hours);
  const days = Math.floor(hours / 24);
  return days < 7 ? words.time.days(days) : dateText(toMs(timestamp));
}

const dates = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const moments = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** Some languages put other spaces into dates, which would be shown as escapes among the texts of others. */
const withPlainSpaces = (text: string): string => text.replace(/\p{Zs}/gu, ' ');

export const dateText = (ms: number): string => withPlainSpaces(dates.format(ms));
export const dateTimeText = (ms: number): string => withPlainSpaces(moments.format(ms));

/** A duration in milliseconds or, from one second, in seconds. */
export function durationText(ms: number): string {
  return ms < 1000 ? words.time.milliseconds(ms) : words.time.seconds(Math.round(ms / 100) / 10);
}
