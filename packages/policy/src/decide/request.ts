import type { NamespaceValues } from '../evaluate/environment.ts';
import type { PolicyValue } from '../value.ts';

/** A user as policies see one. */
export interface PolicyUser {
  readonly id: string;
  /** The ids of the user's tags. */
  readonly tags: readonly string[];
  readonly email?: string | undefined;
  /** The user name. */
  readonly alias: string;
  /** The credentials the user could approve with; needed only to tell who could still approve. */
  readonly credentials?: readonly PolicyCredential[] | undefined;
}

/** A credential as policies see one. */
export interface PolicyCredential {
  readonly id: string;
  readonly userId: string;
  readonly type: string;
  /** Passkeys only. */
  readonly credentialId?: string | undefined;
  /** Lower-case hex. */
  readonly publicKey: string;
}

/** The activity as policies see it. Activities of the root quorum have no kind, resource or action. */
export interface PolicyActivity {
  readonly type: string;
  readonly kind?: string | undefined;
  readonly resource?: string | undefined;
  readonly action?: string | undefined;
  /** Only what `activity.params` shows, by the names that it has there. */
  readonly params?: Readonly<Record<string, PolicyValue>> | undefined;
}

/** Everything a decision rests on besides the policies. Plain data; nothing is read from anywhere else. */
export interface DecisionRequest {
  /** Those who stand behind the request: the submitter first, then the approvals in their order. */
  readonly approvers: readonly PolicyUser[];
  /** The credentials they used. */
  readonly credentials: readonly PolicyCredential[];
  readonly activity: PolicyActivity;
  /** The namespaces that this request has, by path: `wallet`, `eth.tx`, `tx` and so on. Values are canonical. */
  readonly namespaces: Readonly<Record<string, PolicyValue>>;
  /** Milliseconds since 1970, by the clock of the service. */
  readonly now: number;
  readonly rootQuorum: { readonly threshold: number; readonly userIds: readonly string[] };
  /** All users of the organization as they are now. An approver who is not among them does not count. */
  readonly organizationUsers: ReadonlyMap<string, PolicyUser>;
  /** The activity is one that only the root quorum may do; policies are not consulted. */
  readonly rootQuorumOnly?: boolean;
  /** The submitter changes their own credentials, which is allowed unless a policy denies it. */
  readonly selfService?: boolean;
}

/** The people behind a request, as far as they count. */
export interface Approval {
  readonly users: readonly PolicyUser[];
  readonly credentials: readonly PolicyCredential[];
}

/**
 * The approvers that count: each once, however many credentials were used, and as the organization knows them now.
 * SECURITY: a vote carries no authority of its own; a removed user or tag is gone from every pending request.
 */
export function liveApproval(request: DecisionRequest): Approval {
  const users = new Map<string, PolicyUser>();
  for (const { id } of request.approvers) {
    const user = request.organizationUsers.get(id);
    if (user !== undefined) users.set(id, user);
  }
  const credentials = new Map(request.credentials.filter(({ userId }) => users.has(userId)).map((each) => [each.id, each]));
  return { users: [...users.values()], credentials: [...credentials.values()] };
}

/** The request as namespaces. What the engine itself provides wins over an entry of `namespaces` with the same path. */
export function requestValues(request: DecisionRequest, approval: Approval): NamespaceValues {
  const values = new Map<string, PolicyValue>(Object.entries(request.namespaces));
  const { type, kind, resource, action, params } = request.activity;
  values.set('activity.type', type);
  if (kind !== undefined) values.set('activity.kind', kind);
  if (resource !== undefined) values.set('activity.resource', resource);
  if (action !== undefined) values.set('activity.action', action);
  for (const [name, value] of Object.entries(params ?? {})) values.set(`activity.params.${name}`, value);
  values.set('time.now', BigInt(Math.floor(request.now)));
  return setApproval(values, approval);
}

/** The same request with other people behind it. */
export function withApproval(values: NamespaceValues, approval: Approval): NamespaceValues {
  return setApproval(new Map(values), approval);
}

/** A user as an element of `approvers`. */
export function userRecord({ id, tags, email, alias }: PolicyUser): PolicyValue {
  return { id, tags, email: email ?? '', alias };
}

/** A credential as an element of `credentials`. */
export function credentialRecord({ id, userId, type, credentialId, publicKey }: PolicyCredential): PolicyValue {
  return { id, user_id: userId, type, credential_id: credentialId ?? '', public_key: publicKey };
}

function setApproval(values: Map<string, PolicyValue>, approval: Approval): NamespaceValues {
  return values.set('approvers', approval.users.map(userRecord)).set('credentials', approval.credentials.map(credentialRecord));
}
