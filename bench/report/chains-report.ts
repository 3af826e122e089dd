import type { Report } from '../bench.ts';
import type { Machine } from '../machine.ts';
import { REFERENCE_NAME } from '../request-cost.ts';
import { type Spread, spreadOf } from '../statistics.ts';
import { renderBars } from './bars.ts';
import { shown, shownPercent, shownRange } from './numbers.ts';
import type { Paint } from './paint.ts';
import { type Column, renderTable } from './table.ts';

interface TransactionResult {
  readonly name: string;
  readonly cpuMicros: Spread;
  /** As a share of the CPU time of a signing request in the same round. */
  readonly shareOfRequest: Spread;
}

/** The cost of reading transactions of one type. */
export interface ChainResult {
  readonly type: string;
  readonly transactions: readonly TransactionResult[];
}

/** The document that `--json` prints. */
export interface ChainsResult {
  readonly bench: 'chains';
  readonly machine: Machine;
  readonly rounds: number;
  readonly secondsPerWindow: number;
  readonly requestCpuMicros: Spread;
  readonly types: readonly ChainResult[];
}

/** Shows what reading transactions costs. */
export function chainsReport(result: ChainsResult): Report {
  return { json: result, text: (paint) => render(result, paint) };
}

const columns: readonly Column[] = [
  { title: 'type', align: 'left' },
  { title: 'kinds', align: 'right' },
  { title: 'typical µs', align: 'right' },
  { title: 'of a request', align: 'right' },
  { title: 'slowest µs', align: 'right' },
  { title: 'of a request', align: 'right' },
  { title: 'which is', align: 'left' },
];

function render({ machine, rounds, requestCpuMicros, types }: ChainsResult, paint: Paint): string {
  const summaries = types.map(summarize);
  return [
    paint('bold', 'Reading transactions: from the text in a request to what the vault must sign'),
    paint('dim', `${machine.cores} × ${machine.processor}, Node ${machine.node}; medians of ${rounds} interleaved rounds`),
    '',
    `${REFERENCE_NAME}: ${paint('bold', `${shown(requestCpuMicros.median, 1)} µs`)} of CPU (${shownRange(requestCpuMicros, 1)})`,
    '',
    renderTable(
      columns,
      summaries.map(({ type, kinds, typical, dearest }) => [
        type,
        String(kinds),
        shown(typical.micros, 1),
        shownPercent(typical.share),
        shown(dearest.cpuMicros.median, 1),
        shownPercent(dearest.shareOfRequest.median),
        dearest.name,
      ]),
      paint,
    ),
    '',
    paint('bold', 'Typical transaction, as a share of a signing request'),
    renderBars(
      summaries.map(({ type, typical }) => ({ label: type, value: typical.share, caption: shownPercent(typical.share) })),
      paint,
    ),
  ].join('\n');
}

function summarize({ type, transactions }: ChainResult) {
  const dearest = transactions.reduce((a, b) => (b.cpuMicros.median > a.cpuMicros.median ? b : a));
  const median = (value: (transaction: TransactionResult) => Spread) =>
    spreadOf(transactions.map((transaction) => value(transaction).median)).median;
  const typical = { micros: median(({ cpuMicros }) => cpuMicros), share: median(({ shareOfRequest }) => shareOfRequest) };
  return { type, kinds: transactions.length, typical, dearest };
}
