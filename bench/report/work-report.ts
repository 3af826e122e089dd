import type { OperationCost } from '../../test/support/measure-operation.ts';
import type { Report } from '../bench.ts';
import type { Machine } from '../machine.ts';
import type { Paint } from './paint.ts';
import { type Column, renderTable } from './table.ts';

/** The document that `--json` prints. */
interface WorkResult {
  readonly bench: 'work';
  readonly machine: Machine;
  readonly rounds: number;
  readonly operations: readonly { readonly name: string; readonly cost: OperationCost }[];
}

/** Shows the work of single requests. */
export function workReport(result: WorkResult): Report {
  return { json: result, text: (paint) => render(result, paint) };
}

const columns: readonly Column[] = [
  { title: 'operation', align: 'left' },
  { title: 'status', align: 'right' },
  { title: 'request B', align: 'right' },
  { title: 'response B', align: 'right' },
  { title: 'CPU ms', align: 'right' },
  { title: 'longest turn ms', align: 'right' },
  { title: 'stored B', align: 'right' },
];

function render({ machine, rounds, operations }: WorkResult, paint: Paint): string {
  const rows = operations.map(({ name, cost }) => [
    name,
    `${cost.status}`,
    `${cost.requestBytes}`,
    `${cost.responseBytes}`,
    cost.cpuMs.toFixed(1),
    cost.longestTurnMs.toFixed(1),
    `${cost.storedBytes}`,
  ]);
  return [
    paint('bold', 'Work of one request at its limits, and in an organization with 60 long policies'),
    paint(
      'dim',
      `${machine.cores} × ${machine.processor}, Node ${machine.node}; medians of ${rounds} requests each, client included`,
    ),
    '',
    renderTable(columns, rows, paint),
  ].join('\n');
}
