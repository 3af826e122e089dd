import { z } from 'zod';
import { copiedTables } from '../store/copied-tables.ts';
import type { Value } from '../store/statement.ts';
import type { TableShape } from '../store/table.ts';

/**
 * The format of a backup: lines of JSON in UTF-8, compressed by gzip, and encrypted by age on demand.
 *
 *     {"format":"countersign-backup","version":1,…}      the header
 *     ["activities","<organization>","<id>",0,…]         one line for each row: its table, then its values
 *     {"counts":{…},"epoch":1,"checkpoint":"…",…}        the end: nothing may follow
 *
 * Bytes are Base64. The values are in the order of the columns that the header names. See `docs/guide/backup-and-restore.md`.
 */
export const FORMAT = 'countersign-backup';

export const headerShape = z.strictObject({
  format: z.literal(FORMAT),
  version: z.literal(1),
  createdAtMs: z.int().nonnegative(),
  release: z.string(),
  engine: z.enum(['sqlite', 'postgres']),
  schemaVersion: z.int().positive(),
  /** The columns of every table, by its name. */
  tables: z.record(z.string(), z.array(z.string())),
});

export type Header = Readonly<z.output<typeof headerShape>>;

/** The content that the MAC covers, in this order. */
const claimsShape = z.strictObject({
  counts: z.record(z.string(), z.int().nonnegative()),
  /** The epoch of the installation. Null if it had none yet. */
  epoch: z.int().positive().nullable(),
  /** Of the log in this backup. Null without a log. */
  checkpoint: z.string().nullable(),
  /** SHA-256 in hex over all bytes before this line. */
  digest: z.hex().length(64),
});

export type Claims = Readonly<z.output<typeof claimsShape>>;

export const endShape = claimsShape.extend({ mac: z.base64() });

export type End = Readonly<z.output<typeof endShape>>;

/** The input of the MAC of a backup. */
export function claimsText({ counts, epoch, checkpoint, digest }: Claims): string {
  return JSON.stringify({ counts, epoch, checkpoint, digest });
}

/** The columns of every table that is copied. */
export function tablesOfRelease(): Header['tables'] {
  return Object.fromEntries(copiedTables.map(({ name, columns }) => [name, columns.map((column) => column.name)]));
}

/** The line of a row. */
export function rowLine({ name, columns }: TableShape, values: readonly Value[]): string {
  const texts = columns.map(({ type }, at) => {
    const value = values[at];
    return type === 'bytes' ? Buffer.from(value as Uint8Array).toString('base64') : value;
  });
  return JSON.stringify([name, ...texts]);
}

/**
 * The table and the values of a row's line. `given` are the columns of that table in this backup, which may be of an earlier release.
 * Throws a TypeError for values that a row cannot have.
 */
export function readRow(
  line: unknown,
  tables: Header['tables'],
): { readonly table: TableShape; readonly values: readonly Value[] } {
  if (!Array.isArray(line)) throw new TypeError('a line is neither a row nor the end');
  const [name, ...given] = line as readonly unknown[];
  const table = copiedTables.find((known) => known.name === name);
  const columns = table === undefined ? undefined : tables[table.name];
  if (table === undefined || columns === undefined) throw new TypeError(`it has rows of an unknown table ${String(name)}`);
  const values = table.columns.map((column) => readValue(column, given[columns.indexOf(column.name)]));
  if (given.length !== columns.length || columns.length !== table.columns.length)
    throw new TypeError(`a row of ${table.name} has columns that this release does not know`);
  return { table, values };
}

function readValue({ name, type }: TableShape['columns'][number], value: unknown): Value {
  if (type === 'integer' && Number.isSafeInteger(value)) return value as number;
  if (type === 'text' && typeof value === 'string') return value;
  if (type === 'bytes' && typeof value === 'string' && isBase64(value)) return new Uint8Array(Buffer.from(value, 'base64'));
  throw new TypeError(`a value of ${name} is not ${type}`);
}

const isBase64 = (text: string) => /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0;
