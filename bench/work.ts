import { engines } from '../test/support/installation.ts';
import { measureOperation, type OperationCost } from '../test/support/measure-operation.ts';
import { startService } from '../test/support/service.ts';
import type { Bench } from './bench.ts';
import { describeMachine } from './machine.ts';
import { workReport } from './report/work-report.ts';
import { prepareWork } from './work/cases.ts';

/** The work that one request causes within default limits: against long policies, or in parsers. */
export const work: Bench = {
  summary: 'CPU time, stored bytes and longest turn of single requests at their limits',

  async run({ options, leftovers, progress }) {
    const machine = describeMachine(leftovers);
    const installation = await engines.sqlite();
    const service = await startService(installation, { config: { logLevel: 'error', maxKeptRefusals: 0 } });
    const raw = await installation.raw();
    try {
      progress('creating long policies');
      const operations: { readonly name: string; readonly cost: OperationCost }[] = [];
      for (const { name, request } of await prepareWork(service.root)) {
        progress(name);
        operations.push({ name, cost: await measureOperation(raw, request, options.rounds) });
      }
      return workReport({ bench: 'work', machine, rounds: options.rounds, operations });
    } finally {
      await raw.close();
      await service.close();
      await installation.remove();
    }
  },
};
