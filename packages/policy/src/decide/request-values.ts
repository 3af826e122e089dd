import type { NamespaceValues } from '../evaluate/evaluation.ts';
import type { Approval, DecisionRequest, HostValue, PolicyUser } from '../request.ts';
import { controlOf } from '../schema/controls.ts';
import { approvers, credentials, engineNamespaces } from '../schema/engine.ts';
import { parameterOf } from '../schema/parameters.ts';
import { credential, user } from '../schema/people.ts';
import type { PolicyValue } from '../value.ts';

/**
 * The approvers that count: each user once, with any number of credentials, and in their current state in the organization.
 * SECURITY: authority comes from the current users, not from a vote. A removed user or tag no longer counts for any pending request.
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

/** The request as namespaces. Parameters are computed when a policy first reads them. */
export function requestValues(request: DecisionRequest, approval: Approval): NamespaceValues {
  const fixed = new Map<string, HostValue>(Object.entries(request.namespaces));
  // SECURITY: engine namespaces override host entries with the same path.
  for (const { path, read } of atOnce) {
    const value = read?.(request, approval);
    if (value === undefined) fixed.delete(path);
    else fixed.set(path, value);
  }
  return new RequestValues(fixed, request, approval);
}

const atOnce = engineNamespaces.filter((namespace) => namespace.onDemand !== true);
const onDemand = new Map(engineNamespaces.filter((namespace) => namespace.onDemand).map((each) => [each.path, each]));

/** The namespaces of one request. Those that few policies read are computed on demand. */
class RequestValues implements NamespaceValues {
  private readonly fixed: Map<string, HostValue>;
  private readonly request: DecisionRequest;
  private readonly approval: Approval;
  private made: Map<string, PolicyValue | undefined> | undefined;

  constructor(fixed: Map<string, HostValue>, request: DecisionRequest, approval: Approval) {
    this.fixed = fixed;
    this.request = request;
    this.approval = approval;
  }

  get(path: string): PolicyValue | undefined {
    const value = this.fixed.get(path);
    // SECURITY: a null from the host is a faulty namespace, not an absent one: a DENY that names it still applies.
    if (value === undefined) return this.demanded(path);
    if (typeof value !== 'function') return value;
    const made = value();
    this.fixed.set(path, made);
    return made;
  }

  has(path: string): boolean {
    // Presence is known without computing the value.
    return this.fixed.get(path) !== undefined || this.demanded(path) !== undefined;
  }

  note(path: string): string | undefined {
    const control = controlOf(path);
    return control === undefined ? undefined : this.request.controls?.note(control);
  }

  private demanded(path: string): PolicyValue | undefined {
    this.made ??= new Map();
    if (!this.made.has(path)) this.made.set(path, this.read(path));
    return this.made.get(path);
  }

  private read(path: string): PolicyValue | undefined {
    const { request, approval } = this;
    const parameter = parameterOf(path);
    if (parameter !== undefined) return request.activity.params?.(parameter);
    const control = controlOf(path);
    return control === undefined ? onDemand.get(path)?.read?.(request, approval) : request.controls?.value(control);
  }
}

/** The same request with different approvers. */
export function withApproval(values: NamespaceValues, approval: Approval): NamespaceValues {
  const people = new Map<string, PolicyValue>([
    [approvers.path, approval.users.map(user.toRecord)],
    [credentials.path, approval.credentials.map(credential.toRecord)],
  ]);
  const get = (path: string) => people.get(path) ?? values.get(path);
  return { get, has: (path) => get(path) !== undefined };
}
