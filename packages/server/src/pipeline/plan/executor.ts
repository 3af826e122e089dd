import type { Activities, ActivityDefinition, ServiceError } from '@countersign/contract';
import type { InheritedLimits, PolicySubject } from '@countersign/judgement';
import type { z } from 'zod';
import type { EndSlice } from '../../admission/index.ts';
import type { UsedCredential } from '../../auth/ip-allowlist.ts';
import type { Oauth2 } from '../../auth/oauth2/oauth2.ts';
import type { OidcIdentity, VerifiedIdToken } from '../../auth/oidc/oidc.ts';
import type { Limits } from '../../config/limits.ts';
import type { EgressAllowlist } from '../../network/egress-allowlist.ts';
import type { ContextChange, RuleChange } from '../../organizations/rule-change.ts';
import type { Change } from '../../organizations/snapshot/changes.ts';
import type { Resources } from '../../organizations/snapshot/resources.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { NewSend } from '../../sending/new-send.ts';
import type { Sending } from '../../sending/sending.ts';
import type { GuessingAlarm } from '../../statistics/alarms.ts';
import type { Store } from '../../store/store.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Charge } from '../execute/daily-quotas.ts';

/** The identities in the OpenID Connect tokens of an activity's parameters. */
export interface Identities {
  /** False if the operator trusts no issuer. */
  readonly offered: boolean;
  /** Whether tokens of this issuer for this audience are trusted. */
  trusts(identity: Pick<OidcIdentity, 'issuer' | 'audience'>): boolean;
  /** The claims of a token in the parameters. `field` is its path. Throws if the token is invalid or no issuer is trusted. */
  require(token: string, field: string): VerifiedIdToken;
}

/** The context of `plan`. Read-only. */
export interface PlanContext {
  readonly organization: Snapshot;
  /** The user who submitted the activity. */
  readonly submitterId: string;
  /** The public key that the submitter stamped with, as stored. */
  readonly stampedWith: string;
  /** The id of the credential that the activity was submitted with. */
  readonly submittedWith: string;
  /** Whether the submitter is a user of the parent, acting in its sub-organization. */
  readonly byParent: boolean;
  /** The public sign-in key of the organization, which its relay stamps with. */
  signInKey(): string;
  /** The limits of a new API key of a user, given the approvals so far. */
  inheritedBy(userId: string): InheritedLimits;
  /** The parent of the organization as stored now; undefined for a top-level organization. No commit checks its version. */
  parent(): Promise<Snapshot | undefined>;
  readonly resources: Resources;
  readonly counters: Pick<Store['counters'], 'amount'>;
  /** Those of the organization. */
  readonly limits: Limits;
  /** The identities in the tokens that `oidcTokens` returned. */
  readonly identities: Identities;
  /**
   * The credential of the current request, if the request submits the activity or is the vote that executes it. Absent in simulations and
   * while votes are only counted.
   */
  readonly requester?: UsedCredential | undefined;
  readonly oauth2: Oauth2;
  /** Which addresses webhooks may be sent to. */
  readonly webhookEgress: EgressAllowlist;
  /** Which addresses push messages may be sent to. */
  readonly pushEgress: EgressAllowlist;
  readonly sending: Sending;
  /** What `readChain` returned. Throws its error. Absent if nothing can allow the request: it must not be executed then. */
  readonly chain?: (() => unknown) | undefined;
  /** The intent of a pending activity, as its approvers saw it. Absent on submission. */
  readonly planned?: unknown;
  readonly nowMs: number;
}

/** The context of `readChain`. */
export type ReadChainContext = Pick<PlanContext, 'organization' | 'resources' | 'sending' | 'planned'>;

/** The context of `ruleChange` and `contextChange`. Read-only. */
export interface RuleChangeContext {
  readonly organization: Snapshot;
  readonly nowMs: number;
  /** Ends a slice of the work, which is charged to the caller. */
  readonly endSlice: EndSlice;
}

/** The context of `run`: adds the vault and ids that sort by time. */
export interface RunContext extends PlanContext {
  readonly vault: Vault;
  /** The rule that allowed the activity. */
  readonly allowedBy: 'ROOT_QUORUM' | 'POLICY' | 'ROOT_USER' | 'SELF_SERVICE';
  newId(): string;
  newOrganizationId(): string;
  /** The ids of the keys that it signed with, which `signWithKey` adds. */
  readonly usedKeys: string[];
}

/** A planned activity: the intent that is authorized, shown to approvers and stored, and the additional input of `run`. */
export interface Plan<Intent, Prepared> {
  readonly intent: Intent;
  readonly subject: PolicySubject;
  readonly prepared: Prepared;
}

export interface Outcome<Result, Intent = unknown> {
  /** Replaces the planned intent, if only execution determines one of its values, such as the id of a new user. */
  readonly intent?: Intent;
  /** Includes the fields for the submitter alone. The pipeline does not store those. */
  readonly result: Result;
  readonly changes: readonly Change[];
  /** The activity was executed but failed, for example with a wrong code. Its changes are stored, and this error is the response. */
  readonly refusal?: ServiceError;
  /** Transactions to send. They are stored with the activity. */
  readonly sends?: readonly NewSend[];
  /** Amounts to add to counters. Messages are not included: they are counted by the changes that send them. */
  readonly charges?: readonly Charge[];
  /** Alarms for the operator, raised after the commit. */
  readonly alarms?: readonly GuessingAlarm[];
  /** Ids of keys whose plain bytes the vault must forget after the commit. */
  readonly forget?: readonly string[];
  /** Warnings for the caller, one sentence each. */
  readonly warnings?: readonly string[];
}

/** Executes one activity. `plan` is read-only; `run` is called after authorization and returns its writes as data. */
export interface Executor<A extends ActivityDefinition, Prepared = unknown> {
  /** True if the activity changes its own organization. Such activities take the organization lock, so that they do not conflict. */
  readonly locksOrganization: boolean;
  /** True if the activity deletes, disables or freezes keys, so that their plain bytes leave the memory of every node. */
  readonly endsKeys?: true;
  /** The OpenID Connect tokens in the parameters. They are verified before the organization lock is taken, since that may be slow. */
  oidcTokens?(params: z.output<A['input']>): readonly string[];
  /**
   * The policies and limits that the activity would change. Undefined if it changes none in this organization. Called once, on submission
   * and before the organization lock is taken, for the warnings that approvers read. They are stored with the activity.
   */
  ruleChange?(context: RuleChangeContext, params: z.output<A['input']>): Promise<RuleChange | undefined>;
  /**
   * The users, contacts, tokens or root quorum that the activity would change, if decisions may depend on it. Called if the activity becomes pending,
   * without the organization lock, for the warnings that approvers read. What `plan` rejects is not rejected again.
   */
  contextChange?(context: RuleChangeContext, params: z.output<A['input']>): ContextChange | undefined;
  /**
   * Throws the error that `run` would end with after a check that takes long, such as of a host name. Called if the activity becomes pending,
   * without the organization lock, so that nobody approves what cannot be executed. `run` checks again.
   */
  requirePossible?(context: Pick<PlanContext, 'webhookEgress'>, params: z.output<A['input']>): Promise<void>;
  /**
   * Asks the nodes of a chain what the plan needs to know. Called before the organization lock is taken, since nodes may be slow, and only
   * if something could allow the request.
   */
  readChain?(context: ReadChainContext, params: z.output<A['input']>): Promise<unknown>;
  plan(context: PlanContext, params: z.output<A['input']>): Promise<Plan<z.output<A['intent']>, Prepared>>;
  run(
    context: RunContext,
    plan: Plan<z.output<A['intent']>, Prepared>,
  ): Promise<Outcome<z.output<A['result']>, z.output<A['intent']>>>;
}

/** The executor of some activity. Its parameters were read with the schema of that activity. */
export type AnyExecutor = Executor<ActivityDefinition>;

/** Infers the type of the prepared value from the plan. */
export function execute<A extends ActivityDefinition, Prepared>(_definition: A, executor: Executor<A, Prepared>): Executor<A> {
  return executor as Executor<A>;
}

/** Votes on other activities. The pipeline itself executes them. */
export type VotingName = 'approveActivity' | 'rejectActivity';

/** Complete by construction: a contract without an executor does not compile. */
export type Executors = { readonly [Name in Exclude<keyof Activities, VotingName>]: Executor<Activities[Name]> };
