import type { Report } from '../bench.ts';
import type { Machine } from '../machine.ts';
import type { StoreName } from '../options.ts';
import type { Spread } from '../statistics.ts';
import { shown, shownRange } from './numbers.ts';
import type { Paint } from './paint.ts';
import { type Column, renderTable } from './table.ts';

export interface StoreResult {
  readonly store: StoreName;
  readonly scenarios: readonly {
    readonly name: string;
    readonly requestsPerSecond: Spread;
    /** To the rate without a limit, in the same round. */
    readonly toWithout: Spread;
    /** CPU time of the service for one request. It says more than the rate where others use the machine. */
    readonly cpuMicros: Spread;
    readonly cpuToWithout: Spread;
  }[];
  /** The rate of each of two nodes under one limit, measured at the same time. */
  readonly nodes?: readonly Spread[];
}

/** The document that `--json` prints. */
export interface LimitsResult {
  readonly bench: 'limits';
  readonly machine: Machine;
  readonly rounds: number;
  readonly secondsPerWindow: number;
  readonly connections: number;
  readonly points: number;
  readonly stores: readonly StoreResult[];
}

/** Shows the cost of limits over time. */
export function limitsReport(result: LimitsResult): Report {
  return { json: result, text: (paint) => render(result, paint) };
}

function render({ machine, rounds, connections, points, stores }: LimitsResult, paint: Paint): string {
  const columns: readonly Column[] = [
    { title: 'store', align: 'left' },
    { title: 'organization', align: 'left' },
    { title: 'requests/s', align: 'right' },
    { title: 'to without', align: 'right' },
    { title: 'min–max', align: 'right' },
    { title: 'CPU µs', align: 'right' },
    { title: 'to without', align: 'right' },
    { title: 'min–max', align: 'right' },
  ];
  const rows = stores.flatMap(({ store, scenarios }) =>
    scenarios.map(({ name, requestsPerSecond, toWithout, cpuMicros, cpuToWithout }) => [
      store,
      name,
      shown(requestsPerSecond.median, 0),
      shown(toWithout.median, 3),
      shownRange(toWithout, 2),
      shown(cpuMicros.median, 0),
      shown(cpuToWithout.median, 3),
      shownRange(cpuToWithout, 2),
    ]),
  );
  const nodes = stores.flatMap(({ store, nodes: rates }) =>
    rates === undefined
      ? []
      : [
          `Two nodes of one ${store} under one limit, at the same time: ${rates.map((rate) => `${shown(rate.median, 0)} (${shownRange(rate, 0)})`).join(' and ')} requests/s`,
        ],
  );
  return [
    paint('bold', 'Signatures under limits over time, against the same without a limit'),
    paint(
      'dim',
      `${machine.cores} × ${machine.processor}, Node ${machine.node}; ${connections} connections share one bucket; a full window has ${shown(points, 0)} counts; medians of ${rounds} interleaved rounds`,
    ),
    '',
    renderTable(columns, rows, paint),
    ...(nodes.length > 0 ? ['', ...nodes] : []),
  ].join('\n');
}
