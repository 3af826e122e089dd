import { CliError } from '../errors.ts';

/** Grace period after the solver's time limit. */
const GRACE_MS = 2_000;

/** Maximum script length in characters. */
const LONGEST_SCRIPT = 500_000;

/** Z3_lbool of the Z3 API. */
const [SATISFIABLE, UNSATISFIABLE] = [1, -1];

/** Z3 in WebAssembly. Its threads keep the process alive until it is closed. */
export interface Solver {
  /** Checks an SMT-LIB 2 script: `sat` and a model, `unsat` or `unknown`. */
  solve(script: string, timeoutMs: number): Promise<string>;
  close(): Promise<void>;
}

/**
 * Starts the solver, an optional dependency of 35 MB that no other command loads.
 * Each query has a separate context, so that no query sees the assertions of another.
 */
export async function openSolver(): Promise<Solver> {
  let running: Awaited<ReturnType<typeof start>> | undefined = await start();
  const close = async () => {
    const stopped = running;
    running = undefined;
    await stopped?.killThreads(stopped.api.em);
  };
  return {
    async solve(script, timeoutMs) {
      if (script.length > LONGEST_SCRIPT) return 'unknown';
      running ??= await start();
      const { Z3 } = running.api;
      const config = Z3.mk_config();
      const context = Z3.mk_context(config);
      Z3.del_config(config);
      const solver = Z3.mk_solver(context);
      Z3.solver_inc_ref(context, solver);
      const limits = Z3.mk_params(context);
      Z3.params_inc_ref(context, limits);
      Z3.params_set_uint(context, limits, Z3.mk_string_symbol(context, 'timeout'), timeoutMs);
      Z3.solver_set_params(context, solver, limits);
      // SECURITY: this call parses the whole script before it returns. The asynchronous eval_smtlib2_string frees the memory of the
      // script before the solver's thread has read it, so it might answer another query.
      Z3.solver_from_string(context, solver, script);
      if (Z3.get_error_code(context) !== 0)
        throw new Error(`the solver cannot parse its script: ${Z3.get_error_msg(context, Z3.get_error_code(context))}`);
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<undefined>((resolve) => {
        timer = setTimeout(resolve, timeoutMs + GRACE_MS, undefined);
      });
      const verdict = await Promise.race([Z3.solver_check(context, solver), late]);
      clearTimeout(timer);
      // Terminate a solver that ignores its time limit. The next query starts a new one.
      if (verdict === undefined) {
        await close();
        return 'unknown';
      }
      const answer =
        verdict === SATISFIABLE
          ? `sat\n${Z3.model_to_string(context, Z3.solver_get_model(context, solver))}`
          : verdict === UNSATISFIABLE
            ? 'unsat'
            : 'unknown';
      Z3.del_context(context);
      return answer;
    },
    close,
  };
}

async function start() {
  const { init, killThreads } = await import('z3-solver').catch((cause: unknown) => {
    throw new CliError('The solver is not installed.', 'Run "npm install z3-solver@5.2.0" next to countersign.', { cause });
  });
  // Its threads log their termination to standard error.
  return { api: await init({ printErr: () => {} }), killThreads };
}
