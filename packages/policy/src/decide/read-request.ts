import type { NamespaceValues } from '../evaluate/evaluation.ts';
import type { Approval, DecisionRequest, HostValue, PolicyUser } from '../request.ts';
import { controlOf } from '../schema/controls.ts';
import { approvers, credentials, engineNamespaces } from '../schema/engine.ts';
import { parameterOf } from '../schema/parameters.ts';
import { credential, user } from '../schema/people.ts';
import type { PolicyValue } from '../value.ts';
import type { MissingApprovals } from './pending-consensus.ts';

/** What policies see of a request. A DENY denies the request if it denies one of its views. */
export interface RequestViews {
  readonly allow: NamespaceValues;
  /** At least one. */
  readonly deny: readonly NamespaceValues[];
}

/** The parts of a request that a decision reads: the approvers, the state of the root quorum, and the values that policies see. */
class ReadRequest {
  readonly approval: Approval;
  readonly root: RootQuorumState;
  readonly #request: DecisionRequest;
  #values: NamespaceValues | undefined;
  #views: RequestViews | undefined;

  constructor(request: DecisionRequest) {
    this.#request = request;
    this.approval = liveApproval(request);
    this.root = rootQuorumState(request, this.approval);
  }

  get values(): NamespaceValues {
    this.#values ??= requestValues(this.#request, this.approval);
    return this.#values;
  }

  /** What ALLOWs and DENYs see. */
  get views(): RequestViews {
    const { toDenials } = this.#request;
    this.#views ??= {
      allow: this.values,
      deny: toDenials === undefined ? [this.values] : toDenials.map((each) => requestValues(each, this.approval)),
    };
    return this.#views;
  }
}

let last: { readonly request: DecisionRequest; readonly read: ReadRequest } | undefined;

/**
 * Reads a request. Memoizes the last one, because its decision is explained right after it is made.
 * INVARIANT: a request is immutable. A different question needs a new request object.
 */
export function readRequest(request: DecisionRequest): ReadRequest {
  if (last?.request !== request) last = { request, read: new ReadRequest(request) };
  return last.read;
}

/** The state of the root quorum for a request. `missing` is present if members have approved and enough others remain. */
export interface RootQuorumState {
  readonly met: boolean;
  readonly approved: number;
  readonly threshold: number;
  readonly missing?: MissingApprovals;
}

/**
 * Counts the members of the root quorum among the approvers.
 * SECURITY: a member counts once, and only while still a user. A threshold below one is never met.
 */
function rootQuorumState({ rootQuorum, organizationUsers }: DecisionRequest, approval: Approval): RootQuorumState {
  const { threshold } = rootQuorum;
  const members = new Set(rootQuorum.userIds.filter((id) => organizationUsers.has(id)));
  const approvers = new Set(approval.users.map(({ id }) => id).filter((id) => members.has(id)));
  const approved = approvers.size;
  if (!Number.isInteger(threshold) || threshold < 1) return { met: false, approved, threshold };
  if (approved >= threshold) return { met: true, approved, threshold };
  if (approved === 0 || members.size < threshold) return { met: false, approved, threshold };
  const userIds = [...members].filter((id) => !approvers.has(id));
  return { met: false, approved, threshold, missing: { count: threshold - approved, requirement: 'root quorum', userIds } };
}

/**
 * The approvers that count: each user once, with any number of credentials, and in their current state in the organization.
 * SECURITY: authority comes from the current users, not from a vote. A removed user or tag no longer counts for any pending request.
 */
function liveApproval(request: DecisionRequest): Approval {
  const users = new Map<string, PolicyUser>();
  for (const { id } of request.approvers) {
    const found = request.organizationUsers.get(id);
    if (found !== undefined) users.set(id, found);
  }
  const used = new Map(request.credentials.filter(({ userId }) => users.has(userId)).map((each) => [each.id, each]));
  return { users: [...users.values()], credentials: [...used.values()] };
}

/** The request as namespaces. Parameters are computed when a policy first reads them. */
function requestValues(request: DecisionRequest, approval: Approval): NamespaceValues {
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
    // SECURITY: a null from the host is an invalid namespace, not an absent one: a DENY that names it still applies.
    if (value === undefined) return this.demanded(path);
    if (typeof value !== 'function') return value;
    const made = value();
    if (made !== undefined) this.fixed.set(path, made);
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

  uncovered(path: string, beside: readonly string[]): string | undefined {
    const control = controlOf(path);
    return control === undefined ? undefined : this.request.controls?.uncovered?.(control, beside);
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

/** The views of a request with different approvers. */
export function viewsWithApproval({ allow, deny }: RequestViews, approval: Approval): RequestViews {
  return { allow: withApproval(allow, approval), deny: deny.map((view) => withApproval(view, approval)) };
}

/** The same request with different approvers. */
export function withApproval(values: NamespaceValues, approval: Approval): NamespaceValues {
  const people = new Map<string, PolicyValue>([
    [approvers.path, approval.users.map(user.toRecord)],
    [credentials.path, approval.credentials.map(credential.toRecord)],
  ]);
  const get = (path: string) => people.get(path) ?? values.get(path);
  return { get, has: (path) => get(path) !== undefined, uncovered: (path, beside) => values.uncovered?.(path, beside) };
}
