import { checkPolicy, compilePolicies, fieldsOf, type PolicySource, prove, type Verdict } from '@countersign/policy';
import { decideRequest } from '@countersign/server';
import { CliError } from '../errors.ts';
import { offlineOptions } from './offline-options.ts';
import type { PropertyFile } from './property-file.ts';
import { openSolver } from './solver.ts';

export interface ProveFlags {
  readonly listSize: number;
  readonly includeRoot: boolean;
  readonly timeoutMs: number;
}

/** Result for one property. */
export type ProofResult = {
  readonly name: string;
  readonly activity: string;
  readonly milliseconds: number;
} & (
  | { readonly verdict: 'PROVEN'; readonly listsUpTo?: number; readonly assumes: readonly string[] }
  | { readonly verdict: 'REFUTED'; readonly counterExample: CounterExampleRecord }
  | { readonly verdict: 'UNKNOWN'; readonly reason: string; readonly explanation: string; readonly parts: readonly string[] }
);

interface CounterExampleRecord {
  /** The policies that allow it. Empty if the root quorum or self-service needs none. */
  readonly policies: readonly string[];
  readonly by: string;
  readonly approvers: readonly string[];
  readonly fields: Readonly<Record<string, string | boolean>>;
}

/** Proves every property. Throws CliError if the policies or the people are invalid. */
export async function proveAll(policies: readonly PolicySource[], file: PropertyFile, flags: ProveFlags): Promise<ProofResult[]> {
  const forbidden = file.properties.map(({ property: { forbid } }) => ({ condition: forbid.text }));
  const policyOptions = offlineOptions([...policies, ...forbidden]);
  for (const policy of policies) {
    if (checkPolicy(policy, policyOptions).length > 0)
      throw new CliError(`The policy "${policy.id}" has errors.`, 'Run "countersign policy check" on the file and correct them.');
  }
  const askPeople =
    policies.some(({ consensus }) => consensus !== undefined) || file.properties.some(({ property }) => property.unless);
  if (askPeople && file.users.length === 0) {
    throw new CliError(
      'The policies or properties refer to approvers, but there are no users.',
      'Add "users": [{"id", "tags"}] to the property file.',
    );
  }
  const set = compilePolicies(policies, policyOptions);
  const users = file.users.length > 0 ? file.users : [{ id: 'anybody', alias: 'anybody', tags: [] }];
  const solver = await openSolver();
  const { timeoutMs } = flags;
  const settings = { ...flags, decide: decideRequest, solve: (script: string) => solver.solve(script, timeoutMs) };
  try {
    const results: ProofResult[] = [];
    for (const { property, activity } of file.properties) {
      const startedMs = performance.now();
      const world = { activity, users, rootQuorum: file.rootQuorum, options: policyOptions };
      const verdict = await prove(set, property, world, settings);
      const milliseconds = Math.round(performance.now() - startedMs);
      results.push({ name: property.name, activity: activity.kind, milliseconds, ...described(verdict, flags, activity.kind) });
    }
    return results;
  } finally {
    await solver.close();
  }
}

function described(verdict: Verdict, flags: ProveFlags, kind: string) {
  const { timeoutMs } = flags;
  if (verdict.verdict === 'PROVEN') {
    const { upTo } = verdict;
    return {
      verdict: verdict.verdict,
      ...(upTo !== undefined && { listsUpTo: upTo }),
      assumes: assumptions(flags, upTo),
    } as const;
  }
  if (verdict.verdict === 'UNKNOWN') {
    const { reason, parts } = verdict;
    const explanation = {
      TIME: `the solver found no answer within ${timeoutMs / 1000} seconds`,
      OUTSIDE: 'the answer depends on parts of the policies that a proof cannot model',
      NOTHING_FORBIDDEN: `no request of kind ${kind} satisfies \`forbid\`, so there is nothing to prove`,
      LISTS: 'no request with lists of at most `--list-size` elements satisfies `forbid`. Increase it',
      NOT_CONFIRMED: 'the solver returned a request that the policy engine does not allow',
      GUARDED: 'these policies allow such a request, but the service denies what it does unless a policy demands it by name',
      ONE_TIME_KEY: `no policy allows it, but a key that was sent by mail allows ${kind} regardless of policies`,
    }[reason];
    return { verdict: verdict.verdict, reason, explanation, parts } as const;
  }
  const { request, decision } = verdict.counterExample;
  const counterExample: CounterExampleRecord = {
    policies: decision.policyIds,
    by: decision.by,
    approvers: request.approvers.map(({ id }) => id),
    fields: fieldsOf(request),
  };
  return { verdict: verdict.verdict, counterExample } as const;
}

/** What a proof relies on, as sentences. */
function assumptions({ includeRoot }: ProveFlags, upTo: number | undefined): readonly string[] {
  return [
    'The organization has these policies and users, with these tags and credentials. Requests without a counting approval are included.',
    'Values have the forms that the parsers of this release return. Contacts, controls and all other values can be anything.',
    ...(includeRoot ? [] : ['The root quorum does not approve the request: it may do everything.']),
    ...(upTo === undefined ? [] : [`No list has more than ${upTo} elements.`]),
  ];
}
