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

/**
 * Returns the request as a counter-example, if it is one.
 * INVARIANT: the engine decides it as in the service. So a counter-example is real even if the solver is wrong.
 */
export function confirm(
  set: PolicySet,
  { forbid, unless }: Property,
  request: DecisionRequest,
  includeRoot: boolean,
): CounterExample | undefined {
  const values = readRequest(request).values;
  if (evaluateExpression(forbid, values) !== true) return undefined;
  if (unless !== undefined && evaluateExpression(unless, values) === true) return undefined;
  const decision = decide(set, request);
  if (decision.outcome !== 'ALLOW' || (decision.by === 'ROOT_QUORUM' && !includeRoot)) return undefined;
  return { request, decision };
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
