import type { DiagnosticCode } from '../diagnostic.ts';
import type { Span } from '../syntax/span.ts';
import { parseCron } from '../time/cron.ts';
import { makeCronSpan, parseDuration } from '../time/cron-span.ts';
import { parseTimestamp } from '../time/timestamp.ts';
import { findZone } from '../time/zone.ts';
import { t } from '../types.ts';
import type { Typed } from './typed.ts';

export type TextArgument = { readonly value: string; readonly span: Span };

type Report = (code: DiagnosticCode, span: Span, message: string, help?: string) => undefined;

/** A constructor: its arguments are string literals, so that everything about it is checked when the policy is made. */
export interface FunctionSpec {
  readonly signature: string;
  readonly parameters: number;
  readonly doc: string;
  readonly make: (args: readonly TextArgument[], span: Span, report: Report) => Typed | undefined;
}

/** The functions of the language. */
export const functions: Readonly<Record<string, FunctionSpec>> = {
  Timestamp: {
    signature: "Timestamp('<rfc3339>')",
    parameters: 1,
    doc: 'A point in time, written in UTC.',
    make: ([text], span, report) => {
      const value = text === undefined ? undefined : parseTimestamp(text.value);
      if (value !== undefined) return { kind: 'constant', value, type: t.timestamp, span };
      const help = "write it as '2026-03-01T00:00:00Z', with an offset of zero";
      return report('INVALID_TIMESTAMP', text?.span ?? span, 'this is not an RFC 3339 time in UTC', help);
    },
  },
  CronSpan: {
    signature: "CronSpan('<cron>', '<duration>', '<time zone>')",
    parameters: 3,
    doc: 'Whether the time of the decision lies within the duration after a fire of the schedule.',
    make: ([cronText, durationText, zoneText], span, report) => {
      const cron = parseCron(cronText?.value ?? '');
      if (typeof cron === 'string') return report('INVALID_CRON', cronText?.span ?? span, 'this is not a valid schedule', cron);
      const duration = parseDuration(durationText?.value ?? '');
      if (duration === undefined) {
        const help = 'write days, hours and minutes such as `8h`, `90m` or `1d12h`, above zero and at most seven days';
        return report('INVALID_DURATION', durationText?.span ?? span, 'this is not a valid duration', help);
      }
      const zone = findZone(zoneText?.value ?? '');
      if (zone === undefined) {
        return report(
          'INVALID_TIME_ZONE',
          zoneText?.span ?? span,
          'this is not a time zone',
          'write an IANA name such as `Europe/Berlin` or `UTC`',
        );
      }
      return { kind: 'cron', cron: makeCronSpan(cron, duration, zone), type: t.bool, span };
    },
  },
};
