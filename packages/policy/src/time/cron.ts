/** A five-field cron expression as sets of allowed numbers. */
export interface Cron {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly daysOfMonth: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly daysOfWeek: ReadonlySet<number>;
  /** If both day fields are restricted, a day that matches either one matches. */
  readonly eitherDay: boolean;
}

const fields = [
  ['minute', 0, 59],
  ['hour', 0, 23],
  ['day of month', 1, 31],
  ['month', 1, 12],
  ['day of week', 0, 6],
] as const;

/** Parses numbers, ranges, lists and `*`. Rejects steps, names and macros. Returns a text with the reason if it is not valid. */
export function parseCron(text: string): Cron | string {
  const parts = text.trim().split(/[ \t]+/);
  if (parts.length !== fields.length) return 'a cron expression has five fields: minute, hour, day of month, month, day of week';
  const sets: ReadonlySet<number>[] = [];
  for (const [index, [name, low, high]] of fields.entries()) {
    const set = parseField(parts[index] as string, low, high);
    if (set === undefined) return `the ${name} is a number from ${low} to ${high}, a range, a list of these, or \`*\``;
    sets.push(set);
  }
  const [minutes, hours, daysOfMonth, months, daysOfWeek] = sets as [
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
  ];
  return { minutes, hours, daysOfMonth, months, daysOfWeek, eitherDay: parts[2] !== '*' && parts[4] !== '*' };
}

/** Whether a wall-clock minute matches. `weekday` is 0 for Sunday. */
export function cronMatches(cron: Cron, month: number, day: number, weekday: number, hour: number, minute: number): boolean {
  const dayOfMonth = cron.daysOfMonth.has(day);
  const dayOfWeek = cron.daysOfWeek.has(weekday);
  const dayMatches = cron.eitherDay ? dayOfMonth || dayOfWeek : dayOfMonth && dayOfWeek;
  return dayMatches && cron.minutes.has(minute) && cron.hours.has(hour) && cron.months.has(month);
}

function parseField(text: string, low: number, high: number): ReadonlySet<number> | undefined {
  const set = new Set<number>();
  for (const part of text.split(',')) {
    const range = part === '*' ? [low, high] : parseRange(part);
    const [from, to] = range ?? [];
    if (from === undefined || to === undefined || from < low || to > high || from > to) return undefined;
    for (let value = from; value <= to; value += 1) set.add(value);
  }
  return set;
}

function parseRange(text: string): readonly [number, number] | undefined {
  const match = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(text);
  if (match === null) return undefined;
  return [Number(match[1]), Number(match[2] ?? match[1])];
}
