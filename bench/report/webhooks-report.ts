import type { Report } from '../bench.ts';
import type { Machine } from '../machine.ts';
import type { StoreName } from '../options.ts';
import type { Spread } from '../statistics.ts';
import { shown, shownRange } from './numbers.ts';
import type { Paint } from './paint.ts';
import { renderTable } from './table.ts';

/** A backlog to one receiver. */
export interface Throughput {
  readonly mode: string;
  readonly events: number;
  readonly perSecond: number;
}

/** CPU time of the service for one signature, without endpoints and with dead ones. */
export interface DeadEndpoints {
  readonly name: string;
  readonly withoutMicros: Spread;
  readonly deadMicros: Spread;
  /** In the same round. */
  readonly ratio: Spread;
}

export interface WebhooksStore {
  readonly store: StoreName;
  readonly throughput: readonly Throughput[];
  readonly dead: readonly DeadEndpoints[];
}

/** The document that `--json` prints. */
export interface WebhooksResult {
  readonly bench: 'webhooks';
  readonly machine: Machine;
  readonly rounds: number;
  readonly secondsPerWindow: number;
  /** The command of an earlier build, or nothing. */
  readonly before: string;
  readonly backlog: number;
  readonly stores: readonly WebhooksStore[];
}

export function webhooksReport(result: WebhooksResult): Report {
  return { json: result, text: (paint) => render(result, paint) };
}

function render({ machine, rounds, backlog, stores }: WebhooksResult, paint: Paint): string {
  const left = (title: string) => ({ title, align: 'left' as const });
  const right = (title: string) => ({ title, align: 'right' as const });
  const rates = stores.flatMap(({ store, throughput }) =>
    throughput.map(({ mode, events, perSecond }) => [store, mode, shown(events, 0), shown(perSecond, 0)]),
  );
  const costs = stores.flatMap(({ store, dead }) =>
    dead.map(({ name, withoutMicros, deadMicros, ratio }) => [
      store,
      name,
      shown(withoutMicros.median, 0),
      shown(deadMicros.median, 0),
      shown(ratio.median, 2),
      shownRange(ratio, 2),
    ]),
  );
  const about = `${machine.cores} × ${machine.processor}, Node ${machine.node}; medians of ${rounds} interleaved rounds`;
  return [
    paint('bold', 'Webhooks'),
    paint('dim', about),
    ...(rates.length === 0
      ? []
      : [
          '',
          `A backlog of ${shown(backlog, 0)} events to a receiver that responds after 50 ms`,
          renderTable([left('store'), left('mode'), right('events'), right('events/s')], rates, paint),
        ]),
    '',
    'Signatures beside ten endpoints that never respond, against an equal server without endpoints',
    renderTable(
      [left('store'), left('endpoints'), right('CPU µs without'), right('with'), right('ratio'), right('min–max')],
      costs,
      paint,
    ),
  ].join('\n');
}
