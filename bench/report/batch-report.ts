import type { Report } from '../bench.ts';
import type { Machine } from '../machine.ts';
import type { Spread } from '../statistics.ts';
import { shown, shownRange } from './numbers.ts';

/** The document that `--json` prints. */
export interface BatchResult {
  readonly bench: 'batch';
  readonly machine: Machine;
  readonly payloads: number;
  readonly rounds: number;
  /** CPU time of the service for one signature. */
  readonly cpuMicros: Spread;
  readonly bareMicros: Spread;
  /** Signatures in the time of one bare signature. */
  readonly rateToBare: Spread;
}

export function batchReport(result: BatchResult): Report {
  const { machine, payloads, rounds, cpuMicros, bareMicros, rateToBare } = result;
  return {
    json: result,
    text: (paint) =>
      [
        paint('bold', `sign_raw_payloads of ${payloads}: each signed, checked, and all durable in one activity`),
        paint(
          'dim',
          `${machine.cores} × ${machine.processor}, Node ${machine.node}; medians of ${rounds} rounds, SQLite, one connection`,
        ),
        '',
        `bare signing (npm secp256k1)   ${shown(bareMicros.median, 1)} µs (${shownRange(bareMicros, 1)})`,
        `one signature of a batch       ${shown(cpuMicros.median, 1)} µs (${shownRange(cpuMicros, 1)})`,
        `rate to bare                   ${paint('bold', shown(rateToBare.median, 2))} (${shownRange(rateToBare, 2)})`,
      ].join('\n'),
  };
}
