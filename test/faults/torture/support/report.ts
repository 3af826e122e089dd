import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import type { Engine } from '../../../support/installation.ts';
import type { Broken, Findings, Times } from '../fault.ts';

/** The findings of one fault on one store, or why there are none. */
export interface Row {
  readonly name: string;
  readonly title: string;
  readonly store: Engine;
  readonly findings?: Findings;
  readonly skipped?: string;
}

/** A whole run. */
export interface Report {
  readonly date: string;
  readonly machine: string;
  readonly command: string;
  readonly rows: readonly Row[];
}

const kinds = ['lost', 'twice', 'order', 'limits', 'others'] as const satisfies (keyof Broken)[];
const headings = [
  'Fault',
  'Store',
  'Rounds',
  'Requests',
  'Acknowledged',
  'Lost',
  'Twice',
  'Order',
  'Limits',
  'Other',
  'First refusal',
  'Without service',
  'Recovery',
];
/** How many cases of each kind are shown. */
const SHOWN = 10;

export function describeMachine(): string {
  const processor = cpus()[0]?.model.trim() ?? 'unknown processor';
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${availableParallelism()} cores (${processor}), ${gigabytes} GB, ${process.platform} ${process.arch}, Node ${process.version}, load average ${loadavg()[0]?.toFixed(1)} before the run`;
}

/** A text table, then every case and every note. */
export function renderText({ rows }: Report): string {
  const table = [headings, ...rows.map(cells)];
  const widths = headings.map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length)));
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] as number))
      .join('  ')
      .trimEnd(),
  );
  return [...lines, '', ...rows.flatMap(details)].join('\n');
}

/** The same for a page: a table and a list. */
export function renderMarkdown({ rows, date, machine, command }: Report): string {
  const line = (row: readonly string[]) => `| ${row.join(' | ')} |`;
  return [
    `Run on ${date} with \`${command}\`: ${machine}.`,
    '',
    line(headings),
    line(headings.map((_, column) => (column < 2 ? '---' : '--:'))),
    ...rows.map((row) => line(cells(row))),
    '',
    ...[...new Set(rows.map(({ name }) => name))].flatMap((name) => about(rows.filter((row) => row.name === name))),
  ].join('\n');
}

/** What a fault is, and what there is to say about each store. */
function about(rows: readonly Row[]): string[] {
  const said = rows.flatMap(({ store, findings, skipped }) => [
    ...(skipped === undefined ? [] : [`  - ${store}: not run: ${skipped}`]),
    ...(findings?.notes ?? []).map((note) => `  - ${store}: ${note}`),
  ]);
  return [...rows.slice(0, 1).map(({ name, title }) => `- \`${name}\`: ${title}.`), ...said];
}

function cells({ name, store, findings }: Row): string[] {
  if (findings === undefined) return [name, store, ...headings.slice(2).map(() => '-')];
  const { rounds, bodies, acknowledged, broken, times } = findings;
  const counts = [rounds, bodies, acknowledged, ...kinds.map((kind) => broken[kind].length)];
  const measured = (['firstRefusalMs', 'withoutServiceMs', 'recoveryMs'] as const).map((field) => spread(times, field));
  return [name, store, ...counts.map(String), ...measured];
}

/** Median and worst, in seconds. */
function spread(times: readonly Times[], field: keyof Times): string {
  const found = times.flatMap((one) => one[field] ?? []).sort((a, b) => a - b);
  if (found.length === 0) return '-';
  const seconds = (ms: number | undefined) => ((ms ?? 0) / 1000).toFixed(2);
  return `${seconds(found[found.length >> 1])} (${seconds(found.at(-1))}) s`;
}

function details({ name, store, findings, skipped }: Row): string[] {
  if (findings === undefined) return [`${name} on ${store}: not run: ${skipped}`];
  const cases = kinds.flatMap((kind) =>
    findings.broken[kind].slice(0, SHOWN).map((one) => `${name} on ${store}: ${kind}: ${one}`),
  );
  return [...findings.notes.map((note) => `${name} on ${store}: ${note}`), ...cases];
}
