import type { Submitted } from '@countersign/client';
import type { Context } from './context.ts';
import { isFields } from './output/cells.ts';
import { renderTable } from './output/table.ts';
import { renderFields, renderRecords } from './render.ts';
import { nextCommand } from './shell-word.ts';
import { paintFor, printable } from './terminal.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A submitted activity without its envelope: its id, its status and its result. */
export function submittedFields({ activity, result }: Submitted, description?: string): Fields {
  const status = activity.status.replace('ACTIVITY_STATUS_', '').toLowerCase().replaceAll('_', ' ');
  const head = { activity: activity.id, status, ...(description !== undefined && { [tense(activity.status)]: description }) };
  return { ...head, ...(result as Fields | undefined) };
}

/** A submitted activity for a person: its status, its result, and what to do if it waits. */
export function renderSubmitted(context: Context, submitted: Submitted, description?: string): string {
  const { activity } = submitted;
  const paint = paintFor(context, context.stdout);
  const fields = renderFields(submittedFields(submitted, description), { columns: context.stdout.columns, paint });
  if (activity.status !== 'ACTIVITY_STATUS_CONSENSUS_NEEDED') return `${fields}\n`;
  const approve = nextCommand(['approve', activity.id]);
  return `${fields}\n\n${paint('cyan', 'Next:')} the activity waits for approvals. Another user can approve it with:\n  ${approve}\n`;
}

/** What a sentence about a transaction says of it: it is signed once the activity is complete, and not before. */
function tense(status: string): string {
  if (status === 'ACTIVITY_STATUS_COMPLETED') return 'signed';
  return status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED' ? 'would sign' : 'not signed';
}

/** The data of a query for a person. A single list or record needs no heading. */
export function renderAnswer(context: Context, data: Fields): string {
  const options = { columns: context.stdout.columns, paint: paintFor(context, context.stdout) };
  const values = Object.values(data);
  const [only] = values;
  if (values.length !== 1 || typeof only !== 'object' || only === null) return `${renderFields(data, options)}\n`;
  if (!Array.isArray(only)) return `${renderFields(only as Fields, options)}\n`;
  if (only.length === 0) return 'none\n';
  // A terminal gets a table of its width. A pipe loses nothing.
  if (context.stdout.isTerminal && only.every(isFields)) return `${renderTable(only, options)}\n`;
  return `${only.every((item) => typeof item === 'object') ? renderRecords(only, options) : only.map((item) => printable(String(item))).join('\n')}\n`;
}
