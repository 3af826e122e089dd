import { CliFault } from '../faults.ts';

/** The solver gets this much longer than it was told before it is stopped. */
const GRACE_MS = 2_000;

/** Z3, in WebAssembly. Its threads keep a process alive until it is closed. */
export interface Solver {
  /** What the solver writes for a script in SMT-LIB 2. A script that takes longer than it says gets `unknown`. */
  solve(script: string, timeoutMs: number): Promise<string>;
  close(): Promise<void>;
}

/**
 * Starts the solver when the first question is asked. It is an optional dependency of 35 MB that no other command loads.
 * Every question has a context of its own, so no question sees what another one asserted.
 */
export function openSolver(): Solver {
  let starting: ReturnType<typeof start> | undefined;
  const close = async () => {
    const started = starting;
    starting = undefined;
    if (started === undefined) return;
    const { killThreads, api } = await started;
    await killThreads(api.em);
  };
  return {
    async solve(script, timeoutMs) {
      starting ??= start();
      const { Z3 } = (await starting).api;
      const config = Z3.mk_config();
      const context = Z3.mk_context(config);
      Z3.del_config(config);
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<undefined>((resolve) => {
        timer = setTimeout(resolve, timeoutMs + GRACE_MS, undefined);
      });
      const answer = await Promise.race([Z3.eval_smtlib2_string(context, script), late]);
      clearTimeout(timer);
      if (answer === undefined) await close();
      else Z3.del_context(context);
      return answer ?? 'unknown';
    },
    close,
  };
}

async function start() {
  const { init, killThreads } = await import('z3-solver').catch((cause: unknown) => {
    throw new CliFault('The solver is not installed.', 'Run "npm install z3-solver@5.2.0" beside countersign.', { cause });
  });
  return { api: await init(), killThreads };
}
