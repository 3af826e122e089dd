import { type RunningZ3, type Solver, startSolver } from '@countersign/judgement';
import { CliError } from '../errors.ts';

/** Starts Z3 in WebAssembly, an optional dependency of 35 MB that no other command loads. Its threads keep the process alive until it is closed. */
export function openSolver(): Promise<Solver> {
  return startSolver(start);
}

async function start(): Promise<RunningZ3> {
  const { init, killThreads } = await import('z3-solver').catch((cause: unknown) => {
    throw new CliError('The solver is not installed.', 'Run "npm install z3-solver@5.2.0" next to countersign.', { cause });
  });
  // Its threads log their termination to standard error.
  const { em } = await init({ printErr: () => {} });
  return { module: em, stop: () => killThreads(em) };
}
