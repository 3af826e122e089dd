import { z } from 'zod';
import type { Value } from '../../store/statement.ts';
import type { Store } from '../../store/store.ts';
import type { TableShape } from '../../store/table.ts';
import { activities, events, lookups, records } from '../../store/tables.ts';
import { type AtRest, isIndexValue, isSealed } from './at-rest.ts';
import { createRowForms, type RowForms } from './sealed-rows.ts';

/** The setting that records how far the rows of earlier releases are sealed. It needs no MAC: without it, all rows are read again. */
const SETTING = 'vault.at-rest';
const BATCH = 500;
/** Rows between two progress reports. */
const REPORT = 50_000;

/** A table whose rows can be plain, and the text of a row that is stored in another form now. */
interface SealedTable {
  readonly table: TableShape;
  readonly column: string;
  /** The text to store instead. Undefined if the row stays as it is. */
  toStored(forms: RowForms, row: readonly Value[]): string | undefined;
}

const unless = (text: string, changed: string) => (changed === text ? undefined : changed);

const tables: readonly SealedTable[] = [
  {
    table: lookups,
    column: 'value',
    toStored(forms, row) {
      const [organizationId, kind, value, id] = row as string[];
      const lookup = { organizationId, kind, value, id } as { organizationId: string; kind: string; value: string };
      return isIndexValue(lookup.value) ? undefined : unless(lookup.value, forms.lookupValue(lookup));
    },
  },
  bodyOf(records, ({ record }, row) => record.toStored(records.decode(row)).body),
  bodyOf(events, ({ event }, row) => event.toStored(events.decode(row)).body),
  bodyOf(activities, ({ activity }, row) => activity.toStored(activities.decode(row)).body),
];

type Decoded = Parameters<typeof records.decode>[0];

function bodyOf(table: TableShape, toBody: (forms: RowForms, row: Decoded) => string): SealedTable {
  const at = table.columns.findIndex(({ name }) => name === 'body');
  return {
    table,
    column: 'body',
    toStored(forms, row) {
      const body = row[at] as string;
      // A row without a text was packed by this release, after it was sealed if necessary.
      if (body === '' || isSealed(body)) return undefined;
      return unless(body, toBody(forms, Object.fromEntries(table.columns.map(({ name }, index) => [name, row[index] as Value]))));
    },
  };
}

const progressShape = z.strictObject({
  tables: z.int().describe('Number of finished tables'),
  after: z.array(z.string()).optional().describe('Key of the last row that was read in the next table'),
  sealed: z.int().describe('Number of rows that were sealed'),
  done: z.literal(true).optional(),
});

type Progress = z.output<typeof progressShape>;

/** The recorded progress. A setting in any other form counts as absent: then all rows are read again. */
function readProgress(body: string | undefined): Progress {
  const none: Progress = { tables: 0, sealed: 0 };
  if (body === undefined) return none;
  try {
    return progressShape.parse(JSON.parse(body));
  } catch {
    // The setting was edited by hand.
    return none;
  }
}

/**
 * Seals the rows that an earlier release stored in plain. Works in batches and records its progress, so a process that is killed continues
 * where it ended. Several processes may do it concurrently: a row that changed since it was read is skipped, and was sealed by its writer.
 * The scrubbing of free pages is part of the migration.
 */
export async function sealStoredRows(database: Store, atRest: AtRest, report: (message: string) => void): Promise<void> {
  const forms = createRowForms(atRest);
  const stored = await database.vault.setting(SETTING);
  let progress = readProgress(stored?.body);
  if (progress.done) return;
  const advance = async (to: Progress) => {
    progress = to;
    const before = await database.vault.setting(SETTING);
    // Another process may be further. Its progress counts too: rows before it are sealed.
    await database.vault.replaceSetting({ name: SETTING, body: JSON.stringify(to) }, before?.body);
  };
  let read = 0;
  for (const [index, { table, column, toStored }] of tables.entries()) {
    if (index < progress.tables) continue;
    for (;;) {
      const rows = await database.recode.rowsAfter(table, progress.after, BATCH);
      const texts = rows.flatMap((row) => {
        const to = toStored(forms, row);
        const key = row.slice(0, table.key.length);
        return to === undefined ? [] : [{ key, from: row[table.columns.findIndex(({ name }) => name === column)] as string, to }];
      });
      if (texts.length > 0) await database.recode.replace(table, column, texts);
      const last = rows.at(-1);
      const sealed = progress.sealed + texts.length;
      if (last === undefined || rows.length < BATCH) {
        await advance({ tables: index + 1, sealed });
        break;
      }
      await advance({ tables: index, after: last.slice(0, table.key.length).map(String), sealed });
      read += rows.length;
      if (read % REPORT < BATCH) report(`encrypting stored contacts: ${read} rows read, ${sealed} encrypted`);
    }
  }
  if (progress.sealed > 0) {
    report(`encrypted ${progress.sealed} rows with contacts; removing their earlier contents from the database files`);
    const problem = await scrubProblem(database);
    if (problem !== undefined) {
      report(`earlier contents stay in the database files (${problem}); the next startup tries again to remove them`);
      return;
    }
  }
  await advance({ ...progress, done: true });
}

/** Why earlier contents could not be removed, such as a full disk. The service works without it, so this is not an error. */
async function scrubProblem(database: Store): Promise<string | undefined> {
  try {
    return (await database.recode.scrub()) ? undefined : 'another process reads the write-ahead log';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
