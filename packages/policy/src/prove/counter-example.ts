import { type Decision, decide } from '../decide/decide.ts';
import type { PolicySet } from '../decide/policy-set.ts';
import { readRequest } from '../decide/read-request.ts';
import { evaluateExpression } from '../expression.ts';
import type { DecisionRequest, HostValue } from '../request.ts';
import { isList, isMap, type PolicyValue } from '../value.ts';
import type { Property } from './question.ts';

/** A request that the policies allow although it violates a property, confirmed by the engine. */
export interface CounterExample {
  readonly request: DecisionRequest;
  readonly decision: Decision & { readonly outcome: 'ALLOW' };
}

/** Decides a request like the service. */
export type Decide = (set: PolicySet, request: DecisionRequest) => Decision;

/** A request that a model describes, with the policies and the property as they are read for it. */
export interface Candidate {
  readonly set: PolicySet;
  readonly property: Property;
  readonly request: DecisionRequest;
}

/**
 * Returns the request as a counter-example, if it is one. `guarded`: the policies allow it, and a rule of the service denies it.
 * INVARIANT: the rules of the service decide it, with the policies, their step limit and what they must name. So a counter-example is real
 * even if the solver is wrong.
 */
export function confirm(
  { set, property: { forbid, unless }, request }: Candidate,
  includeRoot: boolean,
  decideRequest: Decide,
): { readonly found?: CounterExample; readonly guarded?: readonly string[] } {
  const values = readRequest(request).values;
  if (evaluateExpression(forbid, values) !== true) return {};
  if (unless !== undefined && evaluateExpression(unless, values) === true) return {};
  const isAllowed = (decision: Decision): decision is CounterExample['decision'] =>
    decision.outcome === 'ALLOW' && (decision.by !== 'ROOT_QUORUM' || includeRoot);
  const decision = decideRequest(set, request);
  if (isAllowed(decision)) return { found: { request, decision } };
  const byPolicies = decide(set, request);
  return isAllowed(byPolicies) ? { guarded: byPolicies.policyIds } : {};
}

/** The same request with one approver, by each of the users, if it has none. */
export function withApprover(request: DecisionRequest): readonly DecisionRequest[] {
  if (request.approvers.length > 0) return [];
  return [...request.organizationUsers.values()].map((user) => ({
    ...request,
    approvers: [user],
    credentials: (user.credentials ?? []).slice(0, 1),
  }));
}

/** Minimizes a counter-example: no approver or list element of the result can be removed. */
export function smallest(found: CounterExample, retry: (request: DecisionRequest) => CounterExample | undefined): CounterExample {
  for (const request of smallerRequests(found.request)) {
    const smaller = retry(request);
    if (smaller !== undefined) return smallest(smaller, retry);
  }
  return found;
}

function* smallerRequests(request: DecisionRequest): Generator<DecisionRequest> {
  const { approvers, credentials, namespaces } = request;
  if (approvers.length > 1) {
    for (const { id } of approvers) {
      yield {
        ...request,
        approvers: approvers.filter((each) => each.id !== id),
        credentials: credentials.filter(({ userId }) => userId !== id),
      };
    }
  }
  for (const [path, value] of Object.entries(namespaces)) {
    if (typeof value === 'function' || path === 'contacts') continue;
    for (const smaller of smallerValues(value, true)) yield { ...request, namespaces: { ...namespaces, [path]: smaller } };
  }
}

/** The variants of a value without one element of one of its lists. A list namespace keeps at least one element. */
function* smallerValues(value: PolicyValue, keepsOne: boolean): Generator<PolicyValue> {
  if (typeof value !== 'object' || isMap(value)) return;
  if (isList(value)) {
    if (value.length <= (keepsOne ? 1 : 0)) return;
    for (const index of value.keys()) yield value.toSpliced(index, 1);
    return;
  }
  for (const [name, field] of Object.entries(value))
    for (const smaller of smallerValues(field, false)) yield { ...value, [name]: smaller };
}

/** The fields of a request by path, for display and for programs. Integers are decimal texts. */
export function fieldsOf({ activity, namespaces }: DecisionRequest): Readonly<Record<string, string | boolean>> {
  const fields: Record<string, string | boolean> = {};
  if (activity.type !== undefined) fields['activity.type'] = activity.type;
  const visit = (path: string, value: HostValue) => {
    if (typeof value === 'function') return;
    if (typeof value !== 'object') fields[path] = typeof value === 'bigint' ? String(value) : value;
    else if (isList(value)) for (const [index, each] of value.entries()) visit(`${path}[${index}]`, each);
    else if (isMap(value)) for (const [key, each] of value) visit(`${path}('${key}')`, each);
    // A namespace without fields still shows the chain.
    else if (Object.keys(value).length === 0 && path.endsWith('.tx')) fields[path] = 'present';
    else for (const [name, each] of Object.entries(value)) visit(`${path}.${name}`, each);
  };
  for (const name of activity.given?.() ?? []) {
    const value = activity.params?.(name);
    if (value !== undefined) visit(`activity.params.${name}`, value);
  }
  for (const [path, value] of Object.entries(namespaces)) visit(path, value);
  return fields;
}
