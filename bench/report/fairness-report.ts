import type { Report } from '../bench.ts';
import type { Machine } from '../machine.ts';
import { barChart } from './bar-chart.ts';
import { shown, shownPercent } from './numbers.ts';
import { type Paint, plain } from './paint.ts';
import type { SectionText } from './performance-page.ts';
import { type Column, renderTable } from './table.ts';

type Statuses = Readonly<Record<number, number>>;

/** How the quiet tenant fared. */
export interface Row {
  readonly name: string;
  readonly quiet: { readonly p50Ms: number; readonly p99Ms: number; readonly statuses: Statuses };
  readonly noisy: Statuses;
  readonly residentMb: number;
  /** Growth of the database. */
  readonly diskMb: number;
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
  readonly seconds: number;
  readonly servers: readonly { readonly workers: number; readonly rows: readonly Row[]; readonly overload: Overload }[];
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

function render({ machine, quietRate, seconds, servers }: FairnessResult, paint: Paint): string {
  const lines = [
    paint('bold', `A quiet tenant (${quietRate} signatures in a second) beside others`),
    paint(
      'dim',
      `${machine.cores} × ${machine.processor}, Node ${machine.node}; windows of ${seconds} s; × is to the quiet value`,
    ),
  ];
  for (const { workers, rows, overload } of servers) {
    const alone = rows[0] as Row;
    lines.push(
      '',
      paint('bold', workers === 1 ? 'one process' : `${workers} workers`),
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

function cellsOf({ name, quiet, noisy, residentMb, diskMb }: Row, { quiet: alone }: Row): string[] {
  const lost = Object.entries(quiet.statuses).reduce((sum, [status, count]) => (status === '200' ? sum : sum + count), 0);
  return [
    name,
    shown(quiet.p50Ms, 1),
    shown(quiet.p99Ms, 1),
    shown(quiet.p50Ms / alone.p50Ms, 1),
    shown(quiet.p99Ms / alone.p99Ms, 1),
    `${lost}`,
    told(noisy),
    shown(residentMb, 0),
    shown(diskMb, 1),
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
  const { quietRate, seconds } = result;
  const about = `## A quiet tenant beside others

\`npm run bench -- fairness --write\` has one tenant sign ${quietRate} times in a second, alone and beside each of the others for ${seconds} s, on one process and on two workers, all on one machine with those who send. At the end a tenant sends five times what the server can serve. The aims: the 99th percentile of the quiet tenant stays within ${AIM} times its own, and under overload 85 % of the peak is still served.`;
  return { about, figures: `\`\`\`text\n${render(result, plain)}\n\`\`\``, picture: CHART };
}

/** The picture that `--write` makes. */
export function fairnessChart({ servers }: FairnessResult): string {
  const groups = servers.map(({ workers, rows }) => {
    const [alone, ...others] = rows;
    const bars = others.map(({ name, quiet }) => ({ label: name, value: quiet.p99Ms / (alone?.quiet.p99Ms ?? 1) }));
    return { title: workers === 1 ? 'one process' : `${workers} workers`, bars };
  });
  return barChart(CHART, groups, AIM);
}
