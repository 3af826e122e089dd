import type { Report } from '../bench.ts';
import type { Machine } from '../machine.ts';
import { REFERENCE_NAME } from '../request-cost.ts';
import type { Spread } from '../statistics.ts';
import { shown, shownPercent, shownRange } from './numbers.ts';
import type { Paint } from './paint.ts';
import { type Column, renderTable } from './table.ts';

interface DecisionResult {
  readonly policies: number;
  /** What the policies look like. */
  readonly kind: string;
  /** How many policies a decision had to evaluate. */
  readonly asked: number;
  readonly micros: Spread;
  /** As a share of the CPU time of a signing request in the same round. */
  readonly shareOfRequest: Spread;
  readonly compileMs: Spread;
}

/** The document that `--json` prints. */
export interface PolicyResult {
  readonly bench: 'policy';
  readonly machine: Machine;
  readonly rounds: number;
  readonly secondsPerWindow: number;
  readonly requestCpuMicros: Spread;
  readonly decisions: readonly DecisionResult[];
}

/** Shows what decisions cost. */
export function policyReport(result: PolicyResult): Report {
  return { json: result, text: (paint) => render(result, paint) };
}

const columns: readonly Column[] = [
  { title: 'policies', align: 'right' },
  { title: 'kind', align: 'left' },
  { title: 'asked', align: 'right' },
  { title: 'µs a decision', align: 'right' },
  { title: 'min–max', align: 'right' },
  { title: 'of a request', align: 'right' },
  { title: 'compile ms', align: 'right' },
];

function render({ machine, rounds, requestCpuMicros, decisions }: PolicyResult, paint: Paint): string {
  return [
    paint('bold', 'Decisions: a request judged by all policies of its organization'),
    paint('dim', `${machine.cores} × ${machine.processor}, Node ${machine.node}; medians of ${rounds} interleaved rounds`),
    '',
    `${REFERENCE_NAME}: ${paint('bold', `${shown(requestCpuMicros.median, 1)} µs`)} of CPU (${shownRange(requestCpuMicros, 1)})`,
    '',
    renderTable(columns, decisions.map(row), paint),
  ].join('\n');
}

function row({ policies, kind, asked, micros, shareOfRequest, compileMs }: DecisionResult): string[] {
  return [
    shown(policies, 0),
    kind,
    shown(asked, 0),
    shown(micros.median, 2),
    shownRange(micros, 2),
    shownPercent(shareOfRequest.median),
    shown(compileMs.median, 1),
  ];
}
