import { walkOperations } from '../test/support/walk/walk.ts';
import type { Bench } from './bench.ts';
import { describeMachine } from './machine.ts';
import { operationsReport } from './report/operations-report.ts';

/** More requests of each form would take tens of minutes. */
const MAX_ROUNDS = 2;

/** The work that one request of each operation causes, as large as the contract and the default limits allow. */
export const operations: Bench = {
  summary: 'CPU time, stored bytes and longest turn of every operation at its limits',

  async run({ options, leftovers, progress }) {
    const machine = describeMachine(leftovers);
    const rounds = Math.min(options.rounds, MAX_ROUNDS);
    const walked = await walkOperations({ runs: rounds, progress });
    return operationsReport({ bench: 'operations', machine, rounds, walked });
  },
};
