import type { Report } from '../bench.ts';
import type { Machine } from '../machine.ts';
import type { StoreName } from '../options.ts';
import type { Spread } from '../statistics.ts';
import { barChart } from './bar-chart.ts';
import { renderBars } from './bars.ts';
import { shown, shownRange } from './numbers.ts';
import { type Paint, plain } from './paint.ts';
import type { SectionText } from './performance-page.ts';
import { type Column, renderTable } from './table.ts';

/** The result of one scenario over all rounds. */
export interface ScenarioResult {
  readonly store: StoreName;
  readonly workers: number;
  readonly connections: number;
  readonly requestsPerSecond: Spread;
  readonly p50Ms: Spread;
  readonly p99Ms: Spread;
  /** CPU time of the service for one request, including its workers. */
  readonly cpuMicros: Spread;
  /** `cpuMicros` as a multiple of the bare cryptography. */
  readonly cpuToBare: Spread;
  /** Requests per second, as a share of what one core does of the bare cryptography alone. */
  readonly rateToBareCore: Spread;
  readonly databaseCpuMicros?: Spread;
  readonly loadCpuMicros: Spread;
  readonly requests: number;
  readonly verifiedSignatures: number;
}

/** The document that `--json` prints. */
export interface ServingResult {
  readonly bench: 'serving';
  readonly machine: Machine;
  readonly rounds: number;
  readonly secondsPerWindow: number;
  readonly bareCpuMicros: Spread;
  readonly scenarios: readonly ScenarioResult[];
}

/** Shows what serving costs. */
export function servingReport(result: ServingResult): Report {
  return { json: result, text: (paint) => render(result, paint) };
}

const columns: readonly Column[] = [
  { title: 'store', align: 'left' },
  { title: 'workers', align: 'right' },
  { title: 'conns', align: 'right' },
  { title: 'req/s', align: 'right' },
  { title: 'min–max', align: 'right' },
  { title: 'p50 ms', align: 'right' },
  { title: 'p99 ms', align: 'right' },
  { title: 'CPU µs', align: 'right' },
  { title: '× bare', align: 'right' },
  { title: 'min–max', align: 'right' },
  { title: 'of a bare core', align: 'right' },
  { title: 'db CPU µs', align: 'right' },
];

function render(result: ServingResult, paint: Paint): string {
  const { machine, rounds, secondsPerWindow, bareCpuMicros, scenarios } = result;
  const total = (value: (scenario: ScenarioResult) => number) => scenarios.reduce((sum, each) => sum + value(each), 0);
  return [
    paint('bold', 'Signing requests: stamp verified, decision made, activity durable, secp256k1 signature returned'),
    paint(
      'dim',
      `${machine.cores} × ${machine.processor}, Node ${machine.node}, fsync ${shown(machine.fsyncMs, 2)} ms; ` +
        `medians of ${rounds} interleaved rounds of ${secondsPerWindow} s`,
    ),
    '',
    `bare = P-256 verify (node:crypto) + SHA-256 + secp256k1 sign (npm secp256k1): ${paint('bold', `${shown(bareCpuMicros.median, 1)} µs`)} of CPU ` +
      `(${shownRange(bareCpuMicros, 1)}), ${shown(1e6 / bareCpuMicros.median, 0)}/s on one core`,
    '',
    renderTable(columns, scenarios.map(row), paint),
    '',
    paint('bold', 'CPU of the service per request, in multiples of the bare cryptography'),
    renderBars(
      [
        { label: 'bare', value: 1, caption: '1.00' },
        ...scenarios.map((scenario) => ({
          label: label(scenario),
          value: scenario.cpuToBare.median,
          caption: shown(scenario.cpuToBare.median, 2),
        })),
      ],
      paint,
    ),
    '',
    paint(
      'dim',
      `${shown(
        total(({ requests }) => requests),
        0,
      )} requests, all completed; ` +
        `${shown(
          total(({ verifiedSignatures }) => verifiedSignatures),
          0,
        )} signatures checked with OpenSSL. ` +
        `Service, load${scenarios.some(({ store }) => store === 'postgres') ? ', database' : ''} share the cores: ` +
        'compare ratios rather than rates.',
    ),
  ].join('\n');
}

function row(scenario: ScenarioResult): string[] {
  const { store, workers, connections, requestsPerSecond, p50Ms, p99Ms, cpuMicros, cpuToBare } = scenario;
  return [
    store,
    String(workers),
    String(connections),
    shown(requestsPerSecond.median, 0),
    shownRange(requestsPerSecond, 0),
    shown(p50Ms.median, 2),
    shown(p99Ms.median, 2),
    shown(cpuMicros.median, 1),
    shown(cpuToBare.median, 2),
    shownRange(cpuToBare, 2),
    `${shown(scenario.rateToBareCore.median * 100, 0)} %`,
    scenario.databaseCpuMicros === undefined ? '' : shown(scenario.databaseCpuMicros.median, 1),
  ];
}

function label({ store, workers, connections }: ScenarioResult): string {
  return `${store}, ${workers} worker${workers === 1 ? '' : 's'}, ${connections} conn${connections === 1 ? '' : 's'}`;
}

/** What a request may cost at 32 connections on SQLite, in multiples of the bare cryptography. */
const AIM = 1.5;
const CHART = 'CPU of a request in multiples of the bare cryptography';

/** The section that `--write` makes. */
export function servingSection(result: ServingResult): SectionText {
  const about = `## A signature

\`npm run bench -- serving --write\` sends stamped signing requests over the number of connections in the table, for ${result.secondsPerWindow} s at a time, interleaved with a loop of only the necessary cryptography. The goal at 32 connections on SQLite is ${AIM} times that loop.`;
  return { about, figures: `\`\`\`text\n${render(result, plain)}\n\`\`\``, picture: CHART };
}

/** The picture that `--write` makes. */
export function servingChart({ machine, scenarios }: ServingResult): string {
  const bars = scenarios.map((scenario) => ({ label: label(scenario), value: scenario.cpuToBare.median }));
  return barChart(CHART, [{ title: `${CHART} (${machine.cores} × ${machine.processor})`, bars }], AIM);
}
