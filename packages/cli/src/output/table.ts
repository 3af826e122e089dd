import type { RenderOptions } from '../render.ts';
import { printable } from '../terminal.ts';
import { cellText, toRows } from './cells.ts';
import { cutTo, displayWidth, padTo } from './display-width.ts';

/** A column is not cut below this. */
const NARROWEST = 8;

/** A column that is left out where the terminal is narrow, because most people do not look for it. */
const dispensable = /^(updatedAt|createdAt|organizationId)$/;

const GAP = 2;

/**
 * A table that is never wider than the terminal. What names a thing (the first column) is kept whole; the widest others are cut, and
 * columns that have no place are named below the table.
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

/** Which columns are shown, and how wide. */
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
