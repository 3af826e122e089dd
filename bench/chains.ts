import type { Bench } from './bench.ts';
import { chainLoopName } from './loops/chains.ts';
import { startLoops } from './loops/loops.ts';
import { readTransactions } from './loops/transactions.ts';
import { describeMachine } from './machine.ts';
import { type ChainResult, chainsReport } from './report/chains-report.ts';
import { startRequestCost } from './request-cost.ts';
import { spreadOf } from './statistics.ts';

/** How long a round reads each transaction repeatedly. */
const LOOP_SECONDS = 0.03;
/** Each type is then read thousands of times before it is measured, as the server has signed thousands of times. */
const WARM_UP_ROUNDS = 4;

/**
 * The cost of reading a transaction, from the text in a request to the vault's signing requests, as a share of the CPU time of a
 * whole signing request. Every round measures both.
 */
export const chains: Bench = {
  summary: 'reading transactions of every type, as a share of a signing request',

  async run(context) {
    const { options, leftovers, progress } = context;
    const transactions = readTransactions();
    const machine = describeMachine(leftovers);
    const requestCost = await startRequestCost(context);
    const loops = startLoops(leftovers, 'chains');
    progress('warming up the parsers');
    for (let round = 0; round < WARM_UP_ROUNDS; round++) {
      for (const transaction of transactions) await loops.cpuMicros(chainLoopName(transaction), LOOP_SECONDS);
    }

    const costs = new Map(transactions.map((transaction) => [transaction, [] as { micros: number; share: number }[]]));
    const requestMicros: number[] = [];
    for (let round = 0; round < options.rounds; round++) {
      progress(`round ${round + 1} of ${options.rounds}`);
      const request = await requestCost();
      requestMicros.push(request);
      for (const [transaction, list] of costs) {
        const micros = await loops.cpuMicros(chainLoopName(transaction), LOOP_SECONDS);
        list.push({ micros, share: micros / request });
      }
    }
    const types = [...new Set(transactions.map(({ type }) => type))];
    const results: ChainResult[] = types.map((type) => ({
      type: type.id,
      transactions: [...costs]
        .filter(([transaction]) => transaction.type === type)
        .map(([{ name }, list]) => ({
          name,
          cpuMicros: spreadOf(list.map(({ micros }) => micros)),
          shareOfRequest: spreadOf(list.map(({ share }) => share)),
        })),
    }));
    return chainsReport({
      bench: 'chains',
      machine,
      rounds: options.rounds,
      secondsPerWindow: options.seconds,
      requestCpuMicros: spreadOf(requestMicros),
      types: results,
    });
  },
};
