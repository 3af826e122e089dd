import type { Walked } from '../../test/support/walk/requests.ts';
import type { Report } from '../bench.ts';
import type { Machine } from '../machine.ts';
import type { Paint } from './paint.ts';
import { type Column, renderTable } from './table.ts';

/** The document that `--json` prints. */
interface OperationsResult {
  readonly bench: 'operations';
  readonly machine: Machine;
  readonly rounds: number;
  readonly walked: readonly Walked[];
}

/** The aims: CPU time of the longest turn, CPU time per kilobyte after the first 5 ms, stored bytes per request byte. */
const aims = { turnMs: 50, freeMs: 5, msPerKilobyte: 5, storedPerByte: 20 };

/** Shows every operation, those above an aim marked, and how many are above each. */
export function operationsReport(result: OperationsResult): Report {
  const rows = result.walked.map(derive);
  return { json: { ...result, aims, walked: rows }, text: (paint) => render(result, rows, paint) };
}

type Row = Walked & { readonly msPerKilobyte: number; readonly storedPerByte: number };

function derive(walked: Walked): Row {
  const { cpuMs, requestBytes, storedBytes } = walked.cost;
  const msPerKilobyte = Math.max(0, cpuMs - aims.freeMs) / (requestBytes / 1_000);
  return { ...walked, msPerKilobyte, storedPerByte: storedBytes / requestBytes };
}

const columns: readonly Column[] = [
  { title: 'operation', align: 'left' },
  { title: 'form', align: 'left' },
  { title: 'status', align: 'right' },
  { title: 'request B', align: 'right' },
  { title: 'CPU ms', align: 'right' },
  { title: 'ms per KB', align: 'right' },
  { title: 'longest turn ms', align: 'right' },
  { title: 'stored B per B', align: 'right' },
];

function render({ machine, rounds }: OperationsResult, rows: readonly Row[], paint: Paint): string {
  const marked = (value: number, most: number, digits: number) =>
    value > most ? paint('bold', `${value.toFixed(digits)}!`) : value.toFixed(digits);
  const lines = [...rows]
    .sort((a, b) => b.cost.longestTurnMs - a.cost.longestTurnMs)
    .map(({ operation, form, cost, msPerKilobyte, storedPerByte }) => [
      operation,
      form,
      `${cost.status}`,
      `${cost.requestBytes}`,
      cost.cpuMs.toFixed(1),
      marked(msPerKilobyte, aims.msPerKilobyte, 1),
      marked(cost.longestTurnMs, aims.turnMs, 1),
      marked(storedPerByte, aims.storedPerByte, 1),
    ]);
  const above = (is: (row: Row) => boolean) => rows.filter(is).length;
  return [
    paint('bold', 'Every operation, in usual and in the largest requests'),
    paint(
      'dim',
      `${machine.cores} × ${machine.processor}, Node ${machine.node}; medians of ${rounds} requests each, client included`,
    ),
    '',
    renderTable(columns, lines, paint),
    '',
    `of ${rows.length}: ${above(({ cost }) => cost.longestTurnMs > aims.turnMs)} have a turn above ${aims.turnMs} ms, ` +
      `${above((row) => row.msPerKilobyte > aims.msPerKilobyte)} take more than ${aims.msPerKilobyte} ms per KB after the first ${aims.freeMs} ms, ` +
      `${above((row) => row.storedPerByte > aims.storedPerByte)} store more than ${aims.storedPerByte} bytes per byte`,
  ].join('\n');
}
