import type { Report } from '../bench.ts';
import type { Machine } from '../machine.ts';
import type { Spread } from '../statistics.ts';
import { shown, shownRange } from './numbers.ts';
import type { Paint } from './paint.ts';
import { type Column, renderTable } from './table.ts';

interface OperationResult {
  readonly name: string;
  /** Milliseconds of one request, with few and with many sub-organizations. */
  readonly fewMs: Spread;
  readonly manyMs: Spread;
  /** Many to few, in the same round. */
  readonly ratio: Spread;
}

/** The document that `--json` prints. */
export interface TenantsResult {
  readonly bench: 'tenants';
  readonly machine: Machine;
  readonly rounds: number;
  readonly few: number;
  readonly many: number;
  readonly operations: readonly OperationResult[];
}

/** Shows the cost of many sub-organizations. */
export function tenantsReport(result: TenantsResult): Report {
  return { json: result, text: (paint) => render(result, paint) };
}

function render({ machine, rounds, few, many, operations }: TenantsResult, paint: Paint): string {
  const columns: readonly Column[] = [
    { title: 'request', align: 'left' },
    { title: `ms with ${shown(few, 0)}`, align: 'right' },
    { title: `ms with ${shown(many, 0)}`, align: 'right' },
    { title: 'ratio', align: 'right' },
    { title: 'min–max', align: 'right' },
  ];
  const rows = operations.map(({ name, fewMs, manyMs, ratio }) => [
    name,
    shown(fewMs.median, 2),
    shown(manyMs.median, 2),
    shown(ratio.median, 2),
    shownRange(ratio, 2),
  ]);
  return [
    paint('bold', 'Sub-organizations of one parent: the same request with few and with many'),
    paint('dim', `${machine.cores} × ${machine.processor}, Node ${machine.node}; medians of ${rounds} interleaved rounds`),
    '',
    renderTable(columns, rows, paint),
  ].join('\n');
}
