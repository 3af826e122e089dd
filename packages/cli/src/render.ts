import type { Paint } from './terminal.ts';
import { printable } from './terminal.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface RenderOptions {
  readonly columns: number;
  readonly paint: Paint;
}

/** Fields for a person: aligned names and values, lists of records as tables if they fit, times as dates. */
export function renderFields(fields: Fields, options: RenderOptions): string {
  return lines(fields, options).join('\n');
}

function lines(fields: Fields, options: RenderOptions): string[] {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  const flat = entries.filter(([, value]) => inlineText(value) !== undefined);
  const nested = entries.filter(([, value]) => inlineText(value) === undefined);
  const width = Math.max(0, ...flat.map(([name]) => printable(name).length));
  return [
    ...flat.map(([name, value]) => `${options.paint('dim', printable(name).padEnd(width))}  ${inlineText(value)}`),
    ...nested.flatMap(([name, value]) => [options.paint('bold', printable(name)), ...indented(blockLines(value, options))]),
  ];
}

function blockLines(value: unknown, options: RenderOptions): string[] {
  if (!Array.isArray(value)) return lines(value as Fields, options);
  const texts = value.map(inlineText);
  if (texts.every((text) => text !== undefined)) return texts;
  return renderRecords(value as Fields[], { ...options, columns: options.columns - 2 }).split('\n');
}

/** Records as a table if every value is short enough, else as blocks. */
export function renderRecords(records: readonly Fields[], options: RenderOptions): string {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const rows = records.map((record) => names.map((name) => (record[name] === undefined ? '' : inlineText(record[name]))));
  const heads = names.map(printable);
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => row[column]?.length ?? Number.POSITIVE_INFINITY)),
  );
  const total = widths.reduce((sum, width) => sum + width + 2, -2);
  if (total > options.columns) return records.map((record) => renderFields(record, options)).join('\n\n');
  const row = (cells: readonly (string | undefined)[]) =>
    cells
      .map((cell = '', column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [options.paint('dim', row(heads)), ...rows.map(row)].join('\n');
}

/** The value on one line, or undefined if it needs more. */
function inlineText(value: unknown): string | undefined {
  if (value === null) return '';
  if (typeof value === 'string') return printable(value);
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'none' : undefined;
  return timeText(value as Fields) ?? (Object.keys(value).length === 0 ? 'none' : undefined);
}

/** A wire time (seconds and nanos) as a date, or undefined for other values. */
export function timeText({ seconds, nanos, ...rest }: Fields): string | undefined {
  if (typeof seconds !== 'string' || typeof nanos !== 'string' || Object.keys(rest).length > 0) return undefined;
  const time = new Date(Number(seconds) * 1000);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString().replace('.000Z', 'Z');
}

const indented = (block: readonly string[]) => block.map((line) => (line === '' ? line : `  ${line}`));
