/** Z3_lbool of the Z3 API. */
const [SATISFIABLE, UNSATISFIABLE] = [1, -1];

/** Grace period after the solver's time limit. */
const GRACE_MS = 2_000;

/** Maximum script length in characters. */
const LONGEST_SCRIPT = 500_000;

type Pointer = number;

/** The part of Z3 in WebAssembly that a proof uses: the module that `z3-built.js` of the npm package `z3-solver` creates. */
export interface Z3Module {
  ccall(
    name: string,
    returns: 'number' | 'string' | null,
    types: readonly ('number' | 'string')[],
    values: readonly (number | string)[],
  ): unknown;
  /** Calls a function that runs in a thread of its own. One at a time. */
  async_call(run: unknown, ...values: readonly number[]): Promise<number>;
  _set_noop_error_handler(context: Pointer): void;
  _Z3_mk_config(): Pointer;
  _Z3_del_config(config: Pointer): void;
  _Z3_mk_context(config: Pointer): Pointer;
  _Z3_del_context(context: Pointer): void;
  _Z3_mk_solver(context: Pointer): Pointer;
  _Z3_solver_inc_ref(context: Pointer, solver: Pointer): void;
  _Z3_mk_params(context: Pointer): Pointer;
  _Z3_params_inc_ref(context: Pointer, params: Pointer): void;
  _Z3_params_set_uint(context: Pointer, params: Pointer, name: Pointer, value: number): void;
  _Z3_solver_set_params(context: Pointer, solver: Pointer, params: Pointer): void;
  _Z3_get_error_code(context: Pointer): number;
  _Z3_solver_get_model(context: Pointer, solver: Pointer): Pointer;
  readonly _async_Z3_solver_check: unknown;
}

/** Z3 with its threads. */
export interface RunningZ3 {
  readonly module: Z3Module;
  /** Terminates its threads. */
  stop(): Promise<void>;
}

/** A solver. Its threads live until it is closed. */
export interface Solver {
  /** Checks an SMT-LIB 2 script: `sat` and a model, `unsat` or `unknown`. */
  solve(script: string, timeoutMs: number): Promise<string>;
  close(): Promise<void>;
}

/**
 * Starts the solver, in Node or in a browser: `start` loads it.
 * Each query has a separate context, so that no query sees the assertions of another.
 */
export async function startSolver(start: () => Promise<RunningZ3>): Promise<Solver> {
  let running: RunningZ3 | undefined = await start();
  const close = async () => {
    const stopped = running;
    running = undefined;
    await stopped?.stop();
  };
  return {
    async solve(script, timeoutMs) {
      if (script.length > LONGEST_SCRIPT) return 'unknown';
      running ??= await start();
      const question = pose(running.module, script, timeoutMs);
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise<undefined>((resolve) => {
        timer = setTimeout(resolve, timeoutMs + GRACE_MS, undefined);
      });
      const verdict = await Promise.race([question.check(), late]);
      clearTimeout(timer);
      // Terminate a solver that ignores its time limit. The next query starts a new one.
      if (verdict === undefined) {
        await close();
        return 'unknown';
      }
      return question.answer(verdict);
    },
    close,
  };
}

/** A script in a context of its own. */
function pose(z3: Z3Module, script: string, timeoutMs: number) {
  const config = z3._Z3_mk_config();
  const context = z3._Z3_mk_context(config);
  // Errors are read by their code. The default handler ends the process.
  z3._set_noop_error_handler(context);
  z3._Z3_del_config(config);
  const solver = z3._Z3_mk_solver(context);
  z3._Z3_solver_inc_ref(context, solver);
  const limits = z3._Z3_mk_params(context);
  z3._Z3_params_inc_ref(context, limits);
  const timeout = z3.ccall('Z3_mk_string_symbol', 'number', ['number', 'string'], [context, 'timeout']) as Pointer;
  z3._Z3_params_set_uint(context, limits, timeout, timeoutMs);
  z3._Z3_solver_set_params(context, solver, limits);
  // SECURITY: this call parses the whole script before it returns. The asynchronous eval_smtlib2_string frees the memory of the
  // script before the solver's thread has read it, so it might answer another query.
  z3.ccall('Z3_solver_from_string', null, ['number', 'number', 'string'], [context, solver, script]);
  const code = z3._Z3_get_error_code(context);
  if (code !== 0) {
    const reason = z3.ccall('Z3_get_error_msg', 'string', ['number', 'number'], [context, code]);
    throw new Error(`the solver cannot parse its script: ${String(reason)}`);
  }
  return {
    check: () => z3.async_call(z3._async_Z3_solver_check, context, solver),
    answer(verdict: number): string {
      const read = () =>
        z3.ccall('Z3_model_to_string', 'string', ['number', 'number'], [context, z3._Z3_solver_get_model(context, solver)]);
      const answer = verdict === SATISFIABLE ? `sat\n${String(read())}` : verdict === UNSATISFIABLE ? 'unsat' : 'unknown';
      z3._Z3_del_context(context);
      return answer;
    },
  };
}
