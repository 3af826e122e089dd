import type { ActivityEvent } from '@countersign/client';
import { cutTo } from '../output/display-width.ts';
import type { Paint } from '../terminal.ts';
import { printable } from '../terminal.ts';
import type { Delivery } from './inspector.ts';
import type { LoggedRequest } from './request-log.ts';

type Style = Parameters<Paint>[0];

const styles: Readonly<Record<string, Style>> = {
  ACTIVITY_STATUS_COMPLETED: 'green',
  ACTIVITY_STATUS_CONSENSUS_NEEDED: 'yellow',
  ACTIVITY_STATUS_REJECTED: 'red',
  ACTIVITY_STATUS_FAILED: 'red',
};

export interface LineOptions {
  readonly columns: number;
  readonly paint: Paint;
  nameOf(publicKey: string): string | undefined;
}

/** Width of a line before the reason of a rejection. */
const BEFORE_REASON = 80;

/** One line per request: time, user, operation, outcome, duration, and the reason of a rejection. */
export function requestLine(seen: LoggedRequest, { columns, paint, nameOf }: LineOptions): string {
  const { method, path, status, ms, publicKey, decision, message } = seen;
  const isQuery = path.includes('/query/') && status === 200;
  const operation = path.replace(/^.*\/public\/v1\/(query|submit)\//, '');
  const what = operation === path ? `${method} ${path}` : operation.replaceAll('_', '-');
  // SECURITY: D210: the stamp is not verified, and pages of any origin may send one. Its key may be any text.
  const who = publicKey === undefined ? '' : (nameOf(publicKey) ?? `${printable(publicKey.slice(0, 10))}…`);
  const style = isQuery ? 'dim' : (styles[decision ?? ''] ?? (status >= 400 ? 'red' : 'dim'));
  const outcome = isQuery ? 'answered' : decision === undefined ? String(status) : inWords(decision);
  const why = message === undefined ? '' : `  ${paint('dim', cutTo(printable(message), Math.max(20, columns - BEFORE_REASON)))}`;
  const time = paint('dim', `${ms.toFixed(0)} ms`.padStart(7));
  return `${stamp(paint)}  ${who.padEnd(12)}  ${printable(what).padEnd(28)}  ${paint(style, outcome.padEnd(17))}  ${time}${why}`;
}

/** One line per posted event. */
export function deliveryLine({ event, type, status, forwarded }: Delivery, paint: Paint, again = false): string {
  const answer = forwarded === undefined ? '' : `  → ${forwarded}`;
  const style = styles[status] ?? 'dim';
  return `${stamp(paint)}  ${paint('cyan', (again ? 'event again' : 'event').padEnd(12))}  ${operationOf(type).padEnd(28)}  ${paint(style, inWords(status).padEnd(17))}  ${paint('dim', printable(event.id))}${answer}`;
}

/** One line per event of the log. */
export function eventLine({ sequence, activityId, type, status, occurredAt }: ActivityEvent, paint: Paint): string {
  const time = new Date(Number(occurredAt.seconds) * 1000).toISOString().replace('.000Z', 'Z');
  const style = styles[status] ?? 'dim';
  return `${paint('dim', time)}  ${printable(sequence).padStart(8)}  ${operationOf(type).padEnd(28)}  ${paint(style, inWords(status).padEnd(17))}  ${paint('dim', printable(activityId))}`;
}

const operationOf = (type: string) => printable(type.replace('ACTIVITY_TYPE_', '').toLowerCase().replaceAll('_', '-'));

const inWords = (status: string) => printable(status.replace('ACTIVITY_STATUS_', '').toLowerCase().replaceAll('_', ' '));

const stamp = (paint: Paint) => paint('dim', new Date().toTimeString().slice(0, 8));
