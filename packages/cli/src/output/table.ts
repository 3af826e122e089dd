import type { RenderOptions } from '../render.ts';
import { printable } from '../terminal.ts';
import { cellText, toRows } from './cells.ts';
import { cutTo, displayWidth, padTo } from './display-width.ts';

/** Minimum width of a truncated column. */
const NARROWEST = 8;

/** Columns that are omitted first on a narrow terminal. */
const dispensable = /^(updatedAt|createdAt|organizationId)$/;

const GAP = 2;

/**
 * A table that fits the terminal. The first column, which names the row, is never truncated. The widest other columns are truncated, and
 * omitted columns are listed below the table.
 */
export function renderTable(value: unknown, { columns, paint }: RenderOptions): string {
  const { names, rows } = toRows(value);
  if (rows.length === 0) return 'none';
  const cells = rows.map((row) => names.map((name) => cellText(row[name])));
  const natural = names.map((name, column) =>
    Math.max(displayWidth(name), ...cells.map((row) => displayWidth(row[column] ?? ''))),
  );
  const { shown, widths } = fit(names, natural, columns);
  const line = (texts: readonly string[]) =>
    shown
      .map((column) => padTo(cutTo(texts[column] ?? '', widths[column] ?? 0), widths[column] ?? 0))
      .join(' '.repeat(GAP))
      .trimEnd();
  const left = names.filter((_, column) => !shown.includes(column));
  const note = left.length === 0 ? [] : [paint('dim', cutTo(`not shown: ${left.map(printable).join(', ')}`, columns))];
  return [paint('bold', line(names.map(printable))), ...cells.map(line), ...note].join('\n');
}

/** Visible columns and their widths. */
function fit(names: readonly string[], natural: readonly number[], columns: number) {
  const widths = [...natural];
  let shown = names.map((_, column) => column);
  const excess = () => shown.reduce((sum, column) => sum + (widths[column] ?? 0) + GAP, -GAP) - columns;
  const widest = () =>
    shown.slice(1).reduce<number | undefined>((most, column) => {
      if ((widths[column] ?? 0) <= NARROWEST) return most;
      return most === undefined || (widths[column] ?? 0) > (widths[most] ?? 0) ? column : most;
    }, undefined);
  for (const column of shown.filter((each) => dispensable.test(names[each] ?? '')).reverse()) {
    if (excess() > 0) shown = shown.filter((each) => each !== column);
  }
  while (excess() > 0) {
    const column = widest();
    if (column !== undefined) widths[column] = Math.max(NARROWEST, (widths[column] ?? 0) - 1);
    else if (shown.length > 1) shown = shown.slice(0, -1);
    else break;
  }
  return { shown, widths };
}
