import type { Report } from '../bench.ts';
import type { Machine } from '../machine.ts';
import { percentile } from '../statistics.ts';
import { barChart } from './bar-chart.ts';
import { shown, shownPercent } from './numbers.ts';
import { type Paint, plain } from './paint.ts';
import type { SectionText } from './performance-page.ts';
import { type Column, renderTable } from './table.ts';

type Statuses = Readonly<Record<number, number>>;

/** How the quiet tenant fared, over all rounds. */
export interface Row {
  readonly name: string;
  readonly quiet: { readonly okMs: readonly number[]; readonly statuses: Statuses };
  readonly noisy: Statuses;
  readonly residentMb: number;
  /** Growth of an SQLite database; undefined for PostgreSQL. */
  readonly diskMb: number | undefined;
}

/** Adds a round to those before it. */
export function withRound(before: Row | undefined, { name, quiet, noisy, residentMb, diskMb }: Row): Row {
  if (before === undefined) return { name, quiet, noisy, residentMb, diskMb };
  return {
    name,
    quiet: { okMs: [...before.quiet.okMs, ...quiet.okMs], statuses: sumOf(before.quiet.statuses, quiet.statuses) },
    noisy: sumOf(before.noisy, noisy),
    residentMb: Math.max(before.residentMb, residentMb),
    diskMb: before.diskMb === undefined || diskMb === undefined ? undefined : before.diskMb + diskMb,
  };
}

function sumOf(one: Statuses, other: Statuses): Statuses {
  const sum: Record<number, number> = { ...one };
  for (const [status, count] of Object.entries(other)) sum[Number(status)] = (sum[Number(status)] ?? 0) + count;
  return sum;
}

function msOf({ quiet }: Row, share: number): number {
  return percentile(Float64Array.from(quiet.okMs).sort(), share);
}

export interface Overload {
  /** Requests in a second. */
  readonly peak: number;
  readonly perSecond: number;
  readonly goodput: number;
  readonly share: number;
  readonly statuses: Statuses;
  readonly residentMb: number;
  readonly recoveryMs: number;
}

/** The document that `--json` prints. */
export interface FairnessResult {
  readonly bench: 'fairness';
  readonly machine: Machine;
  readonly quietRate: number;
  readonly rounds: number;
  readonly seconds: number;
  /** Whether the sender of the quiet tenant had the processor before the others. */
  readonly isFirst: boolean;
  readonly servers: readonly { readonly name: string; readonly rows: readonly Row[]; readonly overload: Overload }[];
}

export function fairnessReport(result: FairnessResult): Report {
  return { json: result, text: (paint) => render(result, paint) };
}

const columns: readonly Column[] = [
  { title: 'beside', align: 'left' },
  { title: 'p50 ms', align: 'right' },
  { title: 'p99 ms', align: 'right' },
  { title: 'p50 ×', align: 'right' },
  { title: 'p99 ×', align: 'right' },
  { title: 'lost', align: 'right' },
  { title: 'the others got', align: 'left' },
  { title: 'memory MB', align: 'right' },
  { title: 'disk MB', align: 'right' },
];

function render({ machine, quietRate, rounds, seconds, isFirst, servers }: FairnessResult, paint: Paint): string {
  const lines = [
    paint('bold', `A quiet tenant (${quietRate} signatures in a second) beside others`),
    paint(
      'dim',
      `${machine.cores} × ${machine.processor}, Node ${machine.node}; ${rounds} interleaved rounds of ${seconds} s${isFirst ? ', the quiet sender first at the processor' : ''}; × is to the quiet value`,
    ),
  ];
  for (const { name, rows, overload } of servers) {
    const alone = rows[0] as Row;
    lines.push(
      '',
      paint('bold', name),
      renderTable(
        columns,
        rows.map((row) => cellsOf(row, alone)),
        paint,
      ),
      `${shown(overload.perSecond, 0)} requests in a second where ${shown(overload.peak, 0)} fit: ${shownPercent(overload.share)} of the peak served (${told(overload.statuses)}), ${shown(overload.residentMb, 0)} MB, as before after ${shown(overload.recoveryMs, 0)} ms`,
    );
  }
  return lines.join('\n');
}

function cellsOf(row: Row, alone: Row): string[] {
  const { name, quiet, noisy, residentMb, diskMb } = row;
  const [p50, p99] = [msOf(row, 0.5), msOf(row, 0.99)];
  const lost = Object.entries(quiet.statuses).reduce((sum, [status, count]) => (status === '200' ? sum : sum + count), 0);
  return [
    name,
    shown(p50, 1),
    shown(p99, 1),
    shown(p50 / msOf(alone, 0.5), 1),
    shown(p99 / msOf(alone, 0.99), 1),
    `${lost}`,
    told(noisy),
    shown(residentMb, 0),
    diskMb === undefined ? '' : shown(diskMb, 1),
  ];
}

function told(statuses: Statuses): string {
  return Object.entries(statuses)
    .map(([status, count]) => `${count} × ${status === '0' ? 'nothing' : status}`)
    .join(', ');
}

/** How much longer than alone a quiet tenant may wait. */
const AIM = 3;
const CHART = 'How much longer than alone a quiet tenant waits, 99th percentile';

/** The section that `--write` makes. */
export function fairnessSection(result: FairnessResult): SectionText {
  const { quietRate, rounds, seconds } = result;
  const about = `## A quiet tenant next to other loads

\`npm run bench -- fairness --write\` lets one tenant sign ${quietRate} times per second, alone and next to each of the other loads, ${rounds} times for ${seconds} s each, on one process, on two workers, and on two nodes with one PostgreSQL. Servers and clients share one machine; the row of the tenant that signs at another server shows the effect of the machine alone. At the end a tenant sends five times the capacity of the server. The goals: the 99th percentile of the quiet tenant stays below ${AIM} times its value alone, and under overload the server still serves 85 % of its peak.`;
  return { about, figures: `\`\`\`text\n${render(result, plain)}\n\`\`\``, picture: CHART };
}

/** The picture that `--write` makes. */
export function fairnessChart({ servers }: FairnessResult): string {
  const groups = servers.map(({ name, rows }) => {
    const [alone, ...others] = rows;
    const bars = others.map((row) => ({ label: row.name, value: msOf(row, 0.99) / msOf(alone as Row, 0.99) }));
    return { title: name, bars };
  });
  return barChart(CHART, groups, AIM);
}
