import '../pages/policies/editor/no-jit.ts';
import { ProofInputError, proveAll, startSolver, toProperty } from '@countersign/judgement';
import { LoadError, loadZ3 } from './load-z3.ts';
import type { ProofOrder, ProverReport } from './messages.ts';

/** The scope of a dedicated worker. The DOM types describe only pages. */
interface WorkerScope {
  postMessage(report: ProverReport): void;
  addEventListener(type: 'message', listener: (event: { readonly data: ProofOrder }) => void): void;
  addEventListener(type: 'unhandledrejection', listener: (event: { readonly reason: unknown }) => void): void;
  addEventListener(type: 'securitypolicyviolation', listener: (event: SecurityPolicyViolationEvent) => void): void;
}

const worker = self as unknown as WorkerScope;
const report = (message: ProverReport) => worker.postMessage(message);
const fail = (detail: string) => report({ kind: 'FAILED', reason: 'CRASHED', detail });

// INVARIANT: every failure here is reported as one, and never as a result.
worker.addEventListener('unhandledrejection', ({ reason }) => fail(String(reason)));
worker.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
  fail(`${effectiveDirective} forbids ${blockedURI}`),
);

/** Proves the properties with the code of the command line. The page ends this worker after the answer. */
worker.addEventListener('message', ({ data: { policies, users, rootQuorum, properties, listSize, timeoutMs } }) => {
  prove().catch((error: unknown) => {
    const reason = error instanceof LoadError ? error.reason : error instanceof ProofInputError ? 'INPUT' : 'CRASHED';
    report({ kind: 'FAILED', reason, detail: error instanceof Error ? error.message : String(error) });
  });

  async function prove(): Promise<void> {
    const task = { users, rootQuorum, properties: properties.map(toProperty) };
    const settings = { listSize, timeoutMs, includeRoot: false };
    const open = async () => {
      report({ kind: 'LOADING' });
      const solver = await startSolver(loadZ3);
      report({ kind: 'SOLVING' });
      return solver;
    };
    report({ kind: 'RESULTS', results: await proveAll(policies, task, settings, open) });
  }
});
