import type { PolicyCost } from '../packages/policy/test/cost.ts';
import type { Bench } from './bench.ts';
import { ask } from './conversation.ts';
import { describeMachine } from './machine.ts';
import type { FromPolicy } from './policy/messages.ts';
import { policyReport } from './report/policy-report.ts';
import { startRequestCost } from './request-cost.ts';
import { spreadOf } from './statistics.ts';

/** The cost of a decision by number of policies, as a share of the CPU time of a whole signing request. Every round measures both. */
export const policy: Bench = {
  summary: 'decisions against 1, 100 and 10,000 policies, as a share of a signing request',

  async run(context) {
    const { options, leftovers, progress } = context;
    const machine = describeMachine(leftovers);
    const requestCost = await startRequestCost(context);
    const measurer = leftovers.fork('./policy/policy-process.ts');
    const rounds: { readonly request: number; readonly costs: readonly PolicyCost[] }[] = [];
    for (let round = 0; round < options.rounds; round++) {
      progress(`round ${round + 1} of ${options.rounds}`);
      rounds.push({ request: await requestCost(), costs: (await ask<FromPolicy>(measurer, {})).costs });
    }
    const cases = rounds[0]?.costs ?? [];
    return policyReport({
      bench: 'policy',
      machine,
      rounds: options.rounds,
      secondsPerWindow: options.seconds,
      requestCpuMicros: spreadOf(rounds.map(({ request }) => request)),
      decisions: cases.map(({ policies, kind, asked }, index) => {
        const own = rounds.map(({ request, costs }) => ({ request, ...(costs[index] as PolicyCost) }));
        return {
          policies,
          kind,
          asked,
          micros: spreadOf(own.map(({ microsecondsPerDecision }) => microsecondsPerDecision)),
          shareOfRequest: spreadOf(own.map(({ microsecondsPerDecision, request }) => microsecondsPerDecision / request)),
          compileMs: spreadOf(own.map(({ compileMilliseconds }) => compileMilliseconds)),
        };
      }),
    });
  },
};
