import type { Typed } from '../check/typed.ts';
import { absent } from '../evaluate/raise.ts';
import { timeNow } from '../schema/engine.ts';
import { parseCron } from '../time/cron.ts';
import { makeCronSpan, parseDuration } from '../time/cron-span.ts';
import { parseTimestamp } from '../time/timestamp.ts';
import { findZone } from '../time/zone.ts';
import { t } from '../types.ts';
import type { PathFunction, PolicyFunction, TextFunction } from './function.ts';

const timestamp: TextFunction = Object.freeze({
  name: 'Timestamp',
  signature: "Timestamp('<rfc3339>')",
  doc: 'A point in time, written in UTC.',
  example: "time.now < Timestamp('2026-03-01T00:00:00Z')",
  fields: ['time'],
  since: 1,
  takes: 'texts',
  parameters: 1,
  check: ([text], span, { report }) => {
    const value = text === undefined ? undefined : parseTimestamp(text.value);
    if (value !== undefined) return { kind: 'constant', value, type: t.timestamp, span };
    const help = "write it as '2026-03-01T00:00:00Z', with an offset of zero";
    return report('INVALID_TIMESTAMP', text?.span ?? span, 'this is not an RFC 3339 time in UTC', help);
  },
} satisfies TextFunction);

const cronSpan: TextFunction = Object.freeze({
  name: 'CronSpan',
  signature: "CronSpan('<cron>', '<duration>', '<time zone>')",
  doc: 'Whether the time of the decision lies within the duration after the schedule fires.',
  example: "CronSpan('0 9 * * 1-5', '8h', 'Europe/Berlin')",
  fields: ['time'],
  since: 1,
  takes: 'texts',
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
} satisfies TextFunction);

/**
 * `tag('…')`: the id of a tag. Clients replace names by ids before they send a policy, so the service sees ids only.
 */
export const tag: TextFunction = Object.freeze({
  name: 'tag',
  signature: "tag('<name>')",
  doc: 'The id of a user tag or private key tag, which the organization must have. The command line and the console replace a name by the id before they send the policy. The service takes ids only, so renaming a tag does not change a policy.',
  example: "approvers.any(user, user.tags.contains(tag('treasurers')))",
  fields: ['consensus', 'condition'],
  since: 3,
  takes: 'texts',
  parameters: 1,
  check: ([text], span, { report }) => {
    if (text !== undefined && text.value !== '') return { kind: 'constant', value: text.value, type: t.string, span };
    return report('WRONG_ARGUMENTS', span, 'a tag has a name', "write tag('<name>')");
  },
} satisfies TextFunction);

/** `has(path)` */
export const has: PathFunction = Object.freeze({
  name: 'has',
  signature: 'has(path)',
  doc: 'Whether the request has a value at the path. It can demand a value, as an operand of `&&` or `||` or in `any` and `all`; only a DENY can negate it. So nothing is allowed because a value is absent.',
  example: "has(eth.eip_712.message['deadline']) && eth.eip_712.message['deadline'] <= 1800000000",
  fields: ['condition'],
  since: 3,
  takes: 'path',
  check: (operand, span, { report }) => {
    const problem = pathProblem(operand);
    return problem === undefined
      ? { kind: 'present', operand, type: t.bool, span }
      : report('WRONG_ARGUMENTS', operand.span, problem, 'write has(activity.params.user_id), for example');
  },
} satisfies PathFunction);

/** Why a node is not a path whose value can be absent. */
function pathProblem(node: Typed): string | undefined {
  if (node.kind === 'index') return pathProblem(node.base);
  if (node.kind === 'field') return node.base.kind === 'variable' ? undefined : pathProblem(node.base);
  if (node.kind !== 'read') return '`has` takes a path into the request';
  if (node.path.length > 0 || node.namespace.alwaysIn !== undefined) return undefined;
  return `a policy that names \`${node.namespace.path}\` does not apply to requests without it, so this is always true`;
}

/** Every function of the language, by name. Add new functions here. */
export const functions: ReadonlyMap<string, PolicyFunction> = new Map(
  [timestamp, cronSpan, tag, has].map((each) => [each.name, each]),
);
