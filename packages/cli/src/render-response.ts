import type { Submitted } from '@countersign/client';
import type { Context } from './context.ts';
import { isFields } from './output/cells.ts';
import { renderTable } from './output/table.ts';
import { renderFields, renderRecords } from './render.ts';
import { nextCommand } from './shell-quote.ts';
import { paintFor, printable } from './terminal.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The description of a transaction, and the state of its signature. */
interface Described {
  readonly description?: string | undefined;
  readonly sent?: string;
  readonly transactionHash?: string;
}

/** A submitted activity without its envelope: its id, its status and its result. */
export function submittedFields({ activity, result }: Submitted, { description, ...more }: Described = {}): Fields {
  const status = activity.status.replace('ACTIVITY_STATUS_', '').toLowerCase().replaceAll('_', ' ');
  const head = { activity: activity.id, status, ...(description !== undefined && { [tense(activity.status)]: description }) };
  return { ...head, ...(result as Fields | undefined), ...more };
}

/** A submitted activity for a person: its status, its result, and the next step if it is pending. */
export function renderSubmitted(context: Context, submitted: Submitted, described?: Described): string {
  const { activity } = submitted;
  const paint = paintFor(context, context.stdout);
  const fields = renderFields(submittedFields(submitted, described), { columns: context.stdout.columns, paint });
  if (activity.status !== 'ACTIVITY_STATUS_CONSENSUS_NEEDED') return `${fields}\n`;
  const approve = nextCommand(['approve', activity.id]);
  return `${fields}\n\n${paint('cyan', 'Next:')} the activity is pending. Another user can approve it with:\n  ${approve}\n`;
}

/** Label of the transaction's description: it is signed only when the activity is completed. */
function tense(status: string): string {
  if (status === 'ACTIVITY_STATUS_COMPLETED') return 'signed';
  return status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED' ? 'would sign' : 'not signed';
}

/** Data of a query for a person. A single list or record needs no heading. */
export function renderAnswer(context: Context, data: Fields): string {
  const options = { columns: context.stdout.columns, paint: paintFor(context, context.stdout) };
  const values = Object.values(data);
  const [only] = values;
  if (values.length !== 1 || typeof only !== 'object' || only === null) return `${renderFields(data, options)}\n`;
  if (!Array.isArray(only)) return `${renderFields(only as Fields, options)}\n`;
  if (only.length === 0) return 'none\n';
  // Truncate tables only on a terminal.
  if (context.stdout.isTerminal && only.every(isFields)) return `${renderTable(only, options)}\n`;
  return `${only.every((item) => typeof item === 'object') ? renderRecords(only, options) : only.map((item) => printable(String(item))).join('\n')}\n`;
}
