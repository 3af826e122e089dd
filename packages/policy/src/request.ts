import type { PolicyValue } from './value.ts';

/** A user as policies see them. */
export interface PolicyUser {
  readonly id: string;
  /** The ids of the user's tags. */
  readonly tags: readonly string[];
  readonly email?: string | undefined;
  /** The user name. */
  readonly alias: string;
  /** The credentials with which the user could approve. Used only to determine who could still approve. */
  readonly credentials?: readonly PolicyCredential[] | undefined;
}

/** A credential as policies see it. */
export interface PolicyCredential {
  readonly id: string;
  readonly userId: string;
  readonly type: string;
  /** Passkeys only. */
  readonly credentialId?: string | undefined;
  /** Lower-case hex. */
  readonly publicKey: string;
}

/** Reads one parameter by its name in `activity.params`. Undefined when the request does not have it. Pure. */
export type ReadParameter = (name: string) => PolicyValue | undefined;

/**
 * The value of a namespace, or a function that returns it. The function is called when a policy first reads the value. Pure. Only a
 * namespace with `existsIf` may have no value.
 */
export type HostValue = PolicyValue | (() => PolicyValue | undefined);

/** The activity as policies see it. Activities of the root quorum have no kind, resource or action. Queries have no type. */
export interface PolicyActivity {
  readonly type?: string | undefined;
  readonly kind?: string | undefined;
  readonly resource?: string | undefined;
  readonly action?: string | undefined;
  /** A function, so that a decision that reads no parameters does not compute them. */
  readonly params?: ReadParameter | undefined;
  /** The names of the parameters that the request contains, as in `activity.params`. */
  readonly given?: (() => readonly string[]) | undefined;
  /** Attributes that policies can trust and that the activity gives to users, keys and wallets: ids of tags, names, e-mail addresses. */
  readonly added?: (() => readonly string[]) | undefined;
  /** The same for attributes that it takes away. */
  readonly removed?: (() => readonly string[]) | undefined;
}

/** The spending limits that policies may read, by name. Pure. */
export interface ReadControls {
  /** Whether a limit holds with this request included. Undefined if unknown: evaluating the condition is then an error. */
  value(name: string): boolean | undefined;
  /** The numbers behind the value, as a sentence without its subject: `would bring the last 24 h to 104,000 of 100,000 USDC`. */
  note(name: string): string | undefined;
  /**
   * Why a limit has no value although it was read, as a sentence: the request moves an asset that none of these limits counts.
   * They are the limits that must be kept together, itself included. Undefined if it has its value. Without this function it always has.
   */
  uncovered?(name: string, beside: readonly string[]): string | undefined;
}

/** All input of a decision except the policies. */
export interface DecisionRequest {
  /** The users behind the request: the submitter first, then all approvers in order. */
  readonly approvers: readonly PolicyUser[];
  /** The credentials they used. */
  readonly credentials: readonly PolicyCredential[];
  /**
   * The id of the user who sent the request, whether or not their approval counts.
   * SECURITY: D397: not the first of `approvers`. After the approval of the requester lapses, that is another user.
   */
  readonly requesterId?: string | undefined;
  readonly activity: PolicyActivity;
  /** The namespaces that this request has, by path: `wallet`, `eth.tx`, `tx` and so on. Values are canonical. */
  readonly namespaces: Readonly<Record<string, HostValue>>;
  /** Absent if the organization has no controls. */
  readonly controls?: ReadControls;
  /** Milliseconds since 1970, by the clock of the service. */
  readonly now: number;
  readonly rootQuorum: { readonly threshold: number; readonly userIds: readonly string[] };
  /** All users of the organization as they are now. An approver who is not among them does not count. */
  readonly organizationUsers: ReadonlyMap<string, PolicyUser>;
  /**
   * What DENYs see instead of this request: the request, and each request that has one of its signatures and shows what is signed. A DENY
   * that denies one of them denies this request. Absent: they see this request. Namespaces and controls may differ, people may not.
   * SECURITY: D37: an ALLOW sees only this request, so it allows nothing because of what the bytes of a raw payload mean.
   */
  readonly toDenials?: readonly DecisionRequest[];
  /** Why the host denies the request unless the root quorum approves it. */
  readonly denied?: 'HIDDEN_CONTENT';
  /** Only the root quorum may do the activity. Policies are not evaluated. */
  readonly rootQuorumOnly?: boolean;
  /** The submitter changes their own credentials, which is allowed unless a policy denies it. */
  readonly selfService?: boolean;
  /** The submitter is a member of the root quorum, and that is enough unless a policy denies it. */
  readonly rootUserSuffices?: boolean;
}

/** The approvers that count, and their credentials. */
export interface Approval {
  readonly users: readonly PolicyUser[];
  readonly credentials: readonly PolicyCredential[];
}

/** The words of an activity type that conditions compare. Available before the parameters are read. */
export interface ActivityWords {
  readonly type: string;
  readonly kind: string;
  readonly resource: string;
  readonly action: string;
}
