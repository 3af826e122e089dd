import { absent } from '../evaluate/raise.ts';
import { timeNow } from '../schema/engine.ts';
import { parseCron } from '../time/cron.ts';
import { makeCronSpan, parseDuration } from '../time/cron-span.ts';
import { parseTimestamp } from '../time/timestamp.ts';
import { findZone } from '../time/zone.ts';
import { t } from '../types.ts';
import type { PolicyFunction } from './function.ts';

const timestamp: PolicyFunction = Object.freeze({
  name: 'Timestamp',
  signature: "Timestamp('<rfc3339>')",
  doc: 'A point in time, written in UTC.',
  example: "time.now < Timestamp('2026-03-01T00:00:00Z')",
  field: 'time',
  parameters: 1,
  check: ([text], span, { report }) => {
    const value = text === undefined ? undefined : parseTimestamp(text.value);
    if (value !== undefined) return { kind: 'constant', value, type: t.timestamp, span };
    const help = "write it as '2026-03-01T00:00:00Z', with an offset of zero";
    return report('INVALID_TIMESTAMP', text?.span ?? span, 'this is not an RFC 3339 time in UTC', help);
  },
} satisfies PolicyFunction);

const cronSpan: PolicyFunction = Object.freeze({
  name: 'CronSpan',
  signature: "CronSpan('<cron>', '<duration>', '<time zone>')",
  doc: 'Whether the time of the decision lies within the duration after the schedule fires.',
  example: "CronSpan('0 9 * * 1-5', '8h', 'Europe/Berlin')",
  field: 'time',
  parameters: 3,
  check: ([cronText, durationText, zoneText], span, { report }) => {
    const cron = parseCron(cronText?.value ?? '');
    if (typeof cron === 'string') return report('INVALID_CRON', cronText?.span ?? span, 'this is not a valid schedule', cron);
    const duration = parseDuration(durationText?.value ?? '');
    if (duration === undefined) {
      const help = 'write days, hours and minutes such as `8h`, `90m` or `1d12h`, above zero and at most seven days';
      return report('INVALID_DURATION', durationText?.span ?? span, 'this is not a valid duration', help);
    }
    const zone = findZone(zoneText?.value ?? '');
    if (zone === undefined) {
      const help = 'write an IANA name such as `Europe/Berlin` or `UTC`';
      return report('INVALID_TIME_ZONE', zoneText?.span ?? span, 'this is not a time zone', help);
    }
    const schedule = makeCronSpan(cron, duration, zone);
    return {
      kind: 'apply',
      operands: [],
      reads: [timeNow],
      // It can examine every minute of the duration.
      cost: 1 + Math.ceil(duration / 16),
      apply: (_, { values }) => {
        const now = values.get(timeNow.path);
        return typeof now === 'bigint' ? schedule.contains(Number(now)) : absent(timeNow.path, span);
      },
      type: t.bool,
      span,
    };
  },
} satisfies PolicyFunction);

/** Every function of the language, by name. Add new functions here. */
export const functions: ReadonlyMap<string, PolicyFunction> = new Map([timestamp, cronSpan].map((each) => [each.name, each]));
