import { checkPolicy, compilePolicies, type PolicySource, type PolicyUser, prove } from '@countersign/policy';
import { decideRequest } from '../decide-request.ts';
import { offlineOptions } from './offline-options.ts';
import { type ProofResult, type ProofSettings, toResult } from './proof-result.ts';
import { ProofInputError, type PropertyToProve } from './property.ts';
import type { Solver } from './solver.ts';

/** Properties and their people. */
export interface ProofTask {
  readonly users: readonly PolicyUser[];
  readonly rootQuorum: { readonly threshold: number; readonly userIds: readonly string[] };
  readonly properties: readonly PropertyToProve[];
}

/**
 * Proves every property, for the command line and the console alike. Throws ProofInputError if the policies or the people are invalid.
 * `open` starts the solver and is called once.
 */
export async function proveAll(
  policies: readonly PolicySource[],
  task: ProofTask,
  settings: ProofSettings,
  open: () => Promise<Solver>,
): Promise<ProofResult[]> {
  const forbidden = task.properties.map(({ property: { forbid } }) => ({ condition: forbid.text }));
  const options = offlineOptions([...policies, ...forbidden]);
  for (const policy of policies) {
    if (checkPolicy(policy, options).length > 0)
      throw new ProofInputError(
        `The policy "${policy.id}" has errors.`,
        'Run "countersign policy check" on the file and correct them.',
      );
  }
  const askPeople =
    policies.some(({ consensus }) => consensus !== undefined) || task.properties.some(({ property }) => property.unless);
  if (askPeople && task.users.length === 0) {
    throw new ProofInputError(
      'The policies or properties refer to approvers, but there are no users.',
      'Add "users": [{"id", "tags"}] to the property file.',
    );
  }
  const set = compilePolicies(policies, options);
  const users = task.users.length > 0 ? task.users : [{ id: 'anybody', alias: 'anybody', tags: [] }];
  const solver = await open();
  const { timeoutMs } = settings;
  const how = { ...settings, decide: decideRequest, solve: (script: string) => solver.solve(script, timeoutMs) };
  try {
    const results: ProofResult[] = [];
    for (const { property, activity } of task.properties) {
      const startedMs = performance.now();
      const verdict = await prove(set, property, { activity, users, rootQuorum: task.rootQuorum, options }, how);
      const milliseconds = Math.round(performance.now() - startedMs);
      results.push({ name: property.name, activity: activity.kind, milliseconds, ...toResult(verdict, settings, activity.kind) });
    }
    return results;
  } finally {
    await solver.close();
  }
}
