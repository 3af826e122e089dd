import type { Activities, ActivityDefinition, ServiceError } from '@countersign/contract';
import type { PolicyRecord, PolicySubject } from '@countersign/judgement';
import type { z } from 'zod';
import type { UsedCredential } from '../../auth/ip-allowlist.ts';
import type { OidcIdentity, VerifiedIdToken } from '../../auth/oidc/oidc.ts';
import type { Limits } from '../../config/limits.ts';
import type { Change } from '../../organizations/changes.ts';
import type { Resources } from '../../organizations/resources.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import type { Store } from '../../store/store.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Reachable } from '../../webhooks/reachable.ts';
import type { Charge } from '../execute/daily-quotas.ts';

/** Who the OpenID Connect tokens among an activity's parameters speak of. */
export interface Identities {
  /** False where the operator trusts no issuer. */
  readonly offered: boolean;
  /** Whether tokens of this issuer for this audience would be believed. */
  trusts(identity: Pick<OidcIdentity, 'issuer' | 'audience'>): boolean;
  /** What a token of the parameters says. `field` is its path. Throws where it was not believed, or no issuer is trusted. */
  require(token: string, field: string): VerifiedIdToken;
}

/** What planning may look at. Read-only. */
export interface PlanContext {
  readonly organization: Snapshot;
  /** The user who submitted the activity. */
  readonly submitterId: string;
  /** The public key that the submitter stamped with, as it is recorded. */
  readonly stampedWith: string;
  /** The credential that it was submitted with, by id. */
  readonly submittedWith: string;
  /** Whether that is a user of the parent, acting in its sub-organization. */
  readonly byParent: boolean;
  /** The parent of the organization as it is stored now; undefined for a top-level organization. No commit checks its version. */
  parent(): Promise<Snapshot | undefined>;
  readonly resources: Resources;
  readonly counters: Pick<Store['counters'], 'amount'>;
  readonly limits: Limits;
  /** Who the tokens that `oidcTokens` named speak of. */
  readonly identities: Identities;
  /**
   * What the request at hand was stamped with, where it submits the activity or its vote carries it out; absent in simulations, and
   * while votes are only counted.
   */
  readonly requester?: UsedCredential | undefined;
  /** Which addresses webhooks may go to. */
  readonly reachable: Reachable;
  /** Which addresses push messages may go to. */
  readonly reachableByPush: Reachable;
  readonly nowMs: number;
}

/** What notes on a request may look at. Read-only. */
export interface NotesContext {
  readonly organization: Snapshot;
  /** What a change of the policies would have done to the newest activities. */
  backtest(policies: ReadonlyMap<string, PolicyRecord>): Promise<string>;
  readonly nowMs: number;
}

/** What running may use besides its plan: the vault, and ids that sort by time. */
export interface RunContext extends PlanContext {
  readonly vault: Vault;
  /** What allowed the activity. */
  readonly allowedBy: 'ROOT_QUORUM' | 'POLICY' | 'SELF_SERVICE';
  newId(): string;
}

/** A planned activity: the intent that is judged, shown to approvers and kept, and whatever `run` needs beyond it. */
export interface Plan<Intent, Prepared> {
  readonly intent: Intent;
  readonly subject: PolicySubject;
  readonly prepared: Prepared;
}

/** Somebody guesses: so many wrong tries at one-time codes that a wait was imposed. */
export interface GuessingAlarm {
  readonly of: 'contact' | 'requester' | 'submitter';
  /** The user whose request it was. */
  readonly submitterId: string;
  readonly untilMs: number;
}

export interface Outcome<Result, Intent = unknown> {
  /** The intent to keep in place of the planned one, where only carrying it out gives a value to it, such as the id of a new user. */
  readonly intent?: Intent;
  /** With what is for the submitter alone: the pipeline keeps that back. */
  readonly result: Result;
  readonly changes: readonly Change[];
  /** The activity was carried out and came to nothing, as with a wrong code: its changes are kept, and this is the answer. */
  readonly refusal?: ServiceError;
  /** What it adds to counters, messages left out: those are counted by the changes that send them. */
  readonly charges?: readonly Charge[];
  /** What the operator must hear of, once the commit is taken. */
  readonly alarms?: readonly GuessingAlarm[];
  /** Ids of keys whose plain bytes the vault must forget once the commit is taken. */
  readonly forget?: readonly string[];
  /** What the caller should look out for, one plain sentence each. */
  readonly warnings?: readonly string[];
}

/** How one activity is carried out. `plan` is read-only; `run` comes after authorization and returns its writes as data. */
export interface Executor<A extends ActivityDefinition, Prepared = unknown> {
  /** True where the activity changes its own organization: such activities then wait for each other instead of colliding. */
  readonly exclusive: boolean;
  /** The OpenID Connect tokens among the parameters. They are checked before the activity waits its turn, since that may take time. */
  oidcTokens?(params: z.output<A['input']>): readonly string[];
  /**
   * What approvers should know of a request, one plain sentence each. Asked once, when the request is submitted and before it waits its
   * turn, since that may take time. It is kept with the activity.
   */
  notes?(context: NotesContext, params: z.output<A['input']>): Promise<readonly string[]>;
  plan(context: PlanContext, params: z.output<A['input']>): Promise<Plan<z.output<A['intent']>, Prepared>>;
  run(
    context: RunContext,
    plan: Plan<z.output<A['intent']>, Prepared>,
  ): Promise<Outcome<z.output<A['result']>, z.output<A['intent']>>>;
}

/** An executor whose prepared value is inferred from its plan. */
export function execute<A extends ActivityDefinition, Prepared>(_definition: A, executor: Executor<A, Prepared>): Executor<A> {
  return executor as Executor<A>;
}

/** Votes on other activities: the pipeline itself carries them out. */
export type VotingName = 'approveActivity' | 'rejectActivity';

/** Complete by construction: a contract without an executor does not compile. */
export type Executors = { readonly [Name in Exclude<keyof Activities, VotingName>]: Executor<Activities[Name]> };
