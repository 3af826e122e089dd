import type { NamespaceValues } from '../evaluate/evaluation.ts';
import type { Approval, DecisionRequest, PolicyUser } from '../request.ts';
import { approvers, credentials, engineNamespaces } from '../schema/engine.ts';
import { parameterOf } from '../schema/parameters.ts';
import { credential, user } from '../schema/people.ts';
import type { PolicyValue } from '../value.ts';

/**
 * The approvers that count: each user once, with any number of credentials, and as the organization knows the user now.
 * SECURITY: a vote carries no authority of its own. A removed user or tag is gone from every pending request.
 */
export function liveApproval(request: DecisionRequest): Approval {
  const users = new Map<string, PolicyUser>();
  for (const { id } of request.approvers) {
    const found = request.organizationUsers.get(id);
    if (found !== undefined) users.set(id, found);
  }
  const used = new Map(request.credentials.filter(({ userId }) => users.has(userId)).map((each) => [each.id, each]));
  return { users: [...users.values()], credentials: [...used.values()] };
}

const engine = new Map(engineNamespaces.map((namespace) => [namespace.path, namespace]));

/** The request as namespaces. Each value is made when a policy first asks for it. */
export function requestValues(request: DecisionRequest, approval: Approval): NamespaceValues {
  const made = new Map<string, PolicyValue | undefined>();
  const make = (path: string): PolicyValue | undefined => {
    // SECURITY: what the engine provides wins over an entry of the host with the same path.
    const own = engine.get(path)?.read;
    if (own !== undefined) return own(request, approval);
    const parameter = parameterOf(path);
    if (parameter !== undefined) return request.activity.params?.(parameter);
    return Object.hasOwn(request.namespaces, path) ? request.namespaces[path] : undefined;
  };
  const get = (path: string) => {
    const known = made.get(path);
    if (known !== undefined || made.has(path)) return known;
    const value = make(path);
    made.set(path, value);
    return value;
  };
  return { get, has: (path) => get(path) !== undefined };
}

/** The same request with other people behind it. */
export function withApproval(values: NamespaceValues, approval: Approval): NamespaceValues {
  const people = new Map<string, PolicyValue>([
    [approvers.path, approval.users.map(user.toRecord)],
    [credentials.path, approval.credentials.map(credential.toRecord)],
  ]);
  const get = (path: string) => people.get(path) ?? values.get(path);
  return { get, has: (path) => get(path) !== undefined };
}
