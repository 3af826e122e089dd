import type { Paint } from './paint.ts';

/** A column: its title and the alignment of its cells. */
export interface Column {
  readonly title: string;
  readonly align: 'left' | 'right';
}

/** Aligned columns under their titles, two spaces apart. */
export function renderTable(columns: readonly Column[], rows: readonly (readonly string[])[], paint: Paint): string {
  const widths = columns.map(({ title }, index) => Math.max(title.length, ...rows.map((row) => (row[index] ?? '').length)));
  const line = (cells: readonly string[]) =>
    columns
      .map(({ align }, index) => {
        const width = widths[index] as number;
        const cell = cells[index] ?? '';
        return align === 'left' ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd();
  const titles = line(columns.map(({ title }) => title));
  return [paint('dim', titles), ...rows.map(line)].join('\n');
}
