import { fieldsOf, type Verdict } from '@countersign/policy';

export interface ProofSettings {
  /** The maximum length of each list, if no bound covers all lengths. */
  readonly listSize: number;
  readonly includeRoot: boolean;
  /** The time limit of each solver query. */
  readonly timeoutMs: number;
}

/** Result for one property, as data: the JSON of the command line. */
export type ProofResult = {
  readonly name: string;
  readonly activity: string;
  readonly milliseconds: number;
} & ProofVerdict;

type ProofVerdict =
  | { readonly verdict: 'PROVEN'; readonly listsUpTo?: number; readonly assumes: readonly string[] }
  | { readonly verdict: 'REFUTED'; readonly counterExample: CounterExampleRecord }
  | { readonly verdict: 'UNKNOWN'; readonly reason: string; readonly explanation: string; readonly parts: readonly string[] };

/** A request that the policy engine allowed. */
export interface CounterExampleRecord {
  /** The ids of the policies that allow it. Empty if the root quorum or self-service needs none. */
  readonly policies: readonly string[];
  readonly by: string;
  /** The ids of the approvers. */
  readonly approvers: readonly string[];
  readonly fields: Readonly<Record<string, string | boolean>>;
}

export function toResult(verdict: Verdict, settings: ProofSettings, kind: string): ProofVerdict {
  const { timeoutMs } = settings;
  if (verdict.verdict === 'PROVEN') {
    const { upTo } = verdict;
    return {
      verdict: verdict.verdict,
      ...(upTo !== undefined && { listsUpTo: upTo }),
      assumes: assumptions(settings, upTo),
    };
  }
  if (verdict.verdict === 'UNKNOWN') {
    const { reason, parts } = verdict;
    const explanation = {
      TIME: `the solver found no answer within ${timeoutMs / 1000} seconds, or the question is too long for it`,
      OUTSIDE: 'the answer depends on parts of the policies that a proof cannot model',
      NOTHING_FORBIDDEN: `no request of kind ${kind} satisfies \`forbid\`, so there is nothing to prove`,
      LISTS: 'no request with lists of the tried length satisfies `forbid`. Allow longer lists',
      NOT_CONFIRMED: 'the solver returned a request that the policy engine does not allow',
      GUARDED: 'these policies allow such a request, but the service denies what it does unless a policy demands it by name',
      ONE_TIME_KEY: `no policy allows it, but a key that was sent by mail allows ${kind} regardless of policies`,
    }[reason];
    return { verdict: verdict.verdict, reason, explanation, parts };
  }
  const { request, decision } = verdict.counterExample;
  const counterExample: CounterExampleRecord = {
    policies: decision.policyIds,
    by: decision.by,
    approvers: request.approvers.map(({ id }) => id),
    fields: fieldsOf(request),
  };
  return { verdict: verdict.verdict, counterExample };
}

/** What a proof relies on, as sentences. */
function assumptions({ includeRoot }: ProofSettings, upTo: number | undefined): readonly string[] {
  return [
    'The organization has these policies and users, with these tags and credentials. Requests without a counting approval are included.',
    'Values have the forms that the parsers of this release return. Contacts, controls and all other values can be anything.',
    ...(includeRoot ? [] : ['The root quorum does not approve the request: it may do everything.']),
    ...(upTo === undefined ? [] : [`No list has more than ${upTo} elements.`]),
  ];
}

/** What allows a request other than policies. */
const others: Readonly<Record<string, string>> = {
  ROOT_QUORUM: 'the root quorum',
  ROOT_USER: 'one member of the root quorum',
  SELF_SERVICE: 'self-service',
};

/** A result in lines for people. `nameOf` names policies and users by their ids. */
export function resultLines(result: ProofResult, nameOf: (id: string) => string = (id) => id): readonly string[] {
  if (result.verdict === 'PROVEN') {
    const { activity, listsUpTo } = result;
    const lists = listsUpTo === undefined ? 'with lists of any length' : `with at most ${listsUpTo} elements in each list`;
    return [`for every request of kind ${activity}, ${lists}`];
  }
  if (result.verdict === 'UNKNOWN') return [result.explanation, ...result.parts.map((part) => `- ${part}`)];
  const { policies, by, approvers, fields } = result.counterExample;
  const who = by === 'POLICY' ? policies.map(nameOf).join(', ') : (others[by] ?? by);
  return [
    `allowed by: ${who}`,
    `approvers: ${approvers.length === 0 ? 'none whose approval counts' : approvers.map(nameOf).join(', ')}`,
    ...Object.entries(fields).map(([path, value]) => `${path}: ${value}`),
  ];
}
