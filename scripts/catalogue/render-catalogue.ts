import type { CatalogueEntry } from './read-catalogue.ts';

const columns = ['Activity type', 'Endpoint', 'Executor', 'Tested success', 'Tested failure'];

/** The table as Markdown, aligned for reading in a terminal too. */
export function renderCatalogue(entries: readonly CatalogueEntry[]): string {
  const rows = entries.map(({ type, endpoint, executor = '', success = '', failure = '' }) => [
    type.replace(/^ACTIVITY_TYPE_/, ''),
    endpoint.replace('/public/v1/', ''),
    executor.replace('packages/server/src/', ''),
    success.replace('test/', ''),
    failure.replace('test/', ''),
  ]);
  const widths = columns.map((heading, index) => Math.max(heading.length, ...rows.map((row) => row[index]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |\n`;
  return [columns, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('');
}
