import { type ActivityDetails, type Queries, type QueryDefinition, ServiceError } from '@countersign/contract';
import { mayRead } from '@countersign/judgement';
import type { z } from 'zod';
import type { AdmittedRequest } from '../admission/index.ts';
import type { OidcIdentity } from '../auth/oidc/oidc.ts';
import type { BacktestPart, Explanations, PastRequests } from '../backtest/backtest-types.ts';
import { type BacktestInput, runBacktest } from '../backtest/run-backtest.ts';
import type { ChainReader } from '../chain-nodes/chain-reads.ts';
import type { DetailsReader } from '../dialects/details-reader.ts';
import type { LogAudit } from '../log/audit.ts';
import type { LongPoll } from '../log/long-poll.ts';
import type { LogProofs } from '../log/proofs.ts';
import type { IpAddress } from '../network/ip-address.ts';
import { type AskedMailEvents, type FoundMailEvent, listMailEvents } from '../notify/mail/mail-events.ts';
import { applicationServerKey } from '../notify/push/vapid.ts';
import type { ActivityRecord } from '../organizations/activities/activity-record.ts';
import type { Organizations } from '../organizations/open-organizations.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';
import type { UsageReader } from '../organizations/usage-reader.ts';
import type { LatencyRecorder } from '../statistics/latency-recorder.ts';
import type { SessionUses } from '../statistics/session-uses.ts';
import { validate, withoutNulls } from '../wire/read-parameters.ts';
import { requireLive, verifiedUser } from './authenticate/admit.ts';
import type { Authenticated, Caller, StampedBody } from './authenticate/authenticate.ts';
import type { PresentedSession } from './authenticate/read-only-session.ts';
import { readerProof } from './authenticate/reader-proof.ts';
import { readingDenied } from './authorize/authorize-reading.ts';
import { findReader, type Reader } from './authorize/find-reader.ts';
import { limitedTo } from './authorize/frozen-queries.ts';
import { requireUnfrozen } from './execute/denial.ts';
import { identify } from './plan/prepare.ts';
import type { PipelineServices } from './services.ts';
import { type ImaginedActivity, type Simulated, simulate } from './simulate.ts';

/** The context of a query. `organization` is the one named in the body; a parent's user may read it too. */
export interface QueryContext
  extends Organizations,
    Pick<PipelineServices, 'sending' | 'store'>,
    Pick<AdmittedRequest, 'endSlice' | 'reserve' | 'isGone'> {
  readonly logProofs: LogProofs;
  readonly logAudit: LogAudit;
  readonly longPoll: LongPoll;
  readonly pastRequests: PastRequests;
  readonly explanations: Explanations;
  readonly usage: UsageReader;
  readonly latencies: LatencyRecorder;
  readonly organization: Snapshot;
  readonly caller: Caller;
  readonly nowMs: number;
  /** The address that the request came from. Undefined if a trusted proxy does not state it. */
  clientAddress(): IpAddress | undefined;
  /**
   * Authenticates and authorizes the caller again, for a response that is sent long after the request. Throws if the credential is deleted
   * or expired, or if the caller may no longer read this.
   */
  proveAgain(): Promise<void>;
  /** An activity as the caller's dialect shows it. */
  showActivity(record: ActivityRecord): ActivityDetails;
  /** What the caller may read of the state that activities are compared with. */
  readonly detailsReader: DetailsReader;
  /** Whether the caller's dialect shows fields that the specification does not define. */
  readonly showBeyondSpec: boolean;
  /** Verifies an OpenID Connect token. `field` is its path in the input. Throws if the token is invalid. */
  identify(token: string, field: string): Promise<OidcIdentity>;
  /** Authorizes an activity of this organization without executing it. */
  simulate(
    activity: Pick<ImaginedActivity, 'definition' | 'version' | 'parameters' | 'isExplained'>,
    approverIds: readonly string[],
  ): Promise<Simulated>;
  /** The public key of an organization's sign-in key. */
  signInKey(organizationId: string): string;
  /** What mail servers said about mails of this organization to an address. */
  mailEvents(asked: AskedMailEvents): Promise<readonly FoundMailEvent[]>;
  /** How the sessions of a user of this organization were opened and last used, or one of them. */
  sessionUses(userId: string, sessionId?: string): Promise<ReadonlyMap<string, SessionUses>>;
  /** The key that authenticates this service's push messages to browsers. */
  readonly applicationServerKey: string;
  /** Reads a chain, within the budget of the tenant. Throws NOT_OFFERED if the operator configured no endpoint. */
  chainReader(chain: string): ChainReader;
  /** MAC over a cursor of this organization. */
  cursorMac(fields: readonly string[]): Uint8Array;
  /** Replays past activities of this organization against changed policies. */
  backtest(asked: BacktestInput): Promise<BacktestPart>;
}

/** Resolves one query. */
export type Resolver<Q extends QueryDefinition> = (
  context: QueryContext,
  input: z.output<Q['input']>,
) => Promise<z.output<Q['output']>>;

/**
 * Resolves a query whose callers may each read their own part.
 * SECURITY: `own` is separate, so that a resolver cannot forget to leave out what belongs to others.
 */
export interface ScopedResolver<Q extends QueryDefinition> {
  readonly all: Resolver<Q>;
  readonly own: Resolver<Q>;
}

type ResolverOf<Q extends QueryDefinition> = Q['reads'] extends { readonly always: 'OWN' } ? ScopedResolver<Q> : Resolver<Q>;

/** Complete by construction: a contract without a resolver does not compile. */
export type Resolvers = { readonly [Name in keyof Queries]: ResolverOf<Queries[Name]> };

export function resolveScoped<Q extends QueryDefinition>(_definition: Q, resolver: ScopedResolver<Q>): ScopedResolver<Q> {
  return resolver;
}

export function resolve<Q extends QueryDefinition>(_definition: Q, resolver: Resolver<Q>): Resolver<Q> {
  return resolver;
}

export interface QueryRequest {
  readonly definition: QueryDefinition;
  readonly organizationId: string;
  /** When the request was made, if the caller included it. */
  readonly timestampMs: unknown;
  /** The operation that the caller stamped the body for, if the caller included it. */
  readonly operation: unknown;
  readonly body: unknown;
  /** Bytes of the request. */
  readonly length: number;
  /** Identifies the caller: a stamp over the body, or the token of a read-only session. */
  readonly proof: StampedBody | PresentedSession;
  readonly admitted: AdmittedRequest;
  showActivity(record: ActivityRecord, organization: Snapshot, callerId: string, reader: DetailsReader): ActivityDetails;
  readonly showBeyondSpec: boolean;
}

export function createQuery(services: PipelineServices, resolvers: Resolvers) {
  const { store, organizations, log, clock } = services;
  const { snapshots, resources, suborgNames, activities } = organizations;

  function resolverFor({ definition }: QueryRequest, { scope }: Reader): Resolver<QueryDefinition> {
    const resolver = resolvers[definition.name as keyof Resolvers] as Resolver<QueryDefinition> | ScopedResolver<QueryDefinition>;
    return typeof resolver === 'function' ? resolver : scope === 'OWN' ? resolver.own : resolver.all;
  }

  function readerOf(request: QueryRequest, accept: (authenticated: Authenticated) => void): Promise<Reader> {
    const proof = readerProof(services, request);
    const prove = async (asParent: boolean) => {
      const authenticated = await proof.prove(asParent);
      accept(authenticated);
      return authenticated;
    };
    return findReader({ ...proof, prove }, request.definition, clock.nowMs(), request.admitted.endSlice);
  }

  return async function query(request: QueryRequest): Promise<unknown> {
    const { timer, endSlice } = request.admitted;
    const find = () => readerOf(request, (found) => admitCaller(services, request, found));
    const reader = await (timer?.run('authenticate', find) ?? find());
    const [{ caller, target, home, types }, resolver] = [reader, resolverFor(request, reader)];
    // SECURITY: D534: after a wait, activities are shown with the rights that the caller has then.
    let details = showingFor(request, reader, clock.nowMs());
    const { name, input: schema } = request.definition;
    const input = limitedTo(types, name, validate(schema, withoutNulls(request.body))) as never;
    const { length } = request;
    const work = { length, endSlice, yieldToOthers: () => request.admitted.yieldToOthers(length) };
    const context: QueryContext = {
      store,
      sending: services.sending,
      resources,
      suborgNames,
      activities,
      snapshots,
      logProofs: log.proofs,
      logAudit: log.audit,
      longPoll: log.longPoll,
      pastRequests: services.policies.pastRequests,
      explanations: services.policies.explanations,
      usage: services.usage.reader,
      latencies: services.statistics.latencies,
      clientAddress: request.proof.clientAddress,
      endSlice,
      reserve: request.admitted.reserve,
      isGone: request.admitted.isGone,
      async proveAgain() {
        // After the wait, the request is scheduled like a new one.
        await request.admitted.turn();
        const again = await readerOf(request, () => undefined);
        if (resolverFor(request, again) !== resolver || again.caller.userId !== caller.userId)
          throw readingDenied(request.definition);
        details = showingFor(request, again, clock.nowMs());
      },
      organization: target,
      caller,
      nowMs: clock.nowMs(),
      showActivity: (record) => details.showActivity(record),
      get detailsReader() {
        return details.detailsReader;
      },
      showBeyondSpec: request.showBeyondSpec,
      identify: (token, field) => identify(services, token, field),
      signInKey: services.vault.service.signInKey,
      sessionUses: (userId, sessionId) => services.statistics.sessions.of(target.id, userId, sessionId),
      mailEvents: (asked) =>
        listMailEvents({ store, integrity: services.vault.integrity }, target.id, asked, activities.tampered),
      applicationServerKey: applicationServerKey(services.vault.service),
      chainReader: (chain) => services.chainReads.of(target.profile.parentId ?? target.id, chain),
      cursorMac: (fields) => services.vault.integrity.cursor(target.id, fields),
      backtest: (asked) => runBacktest(services.policies.backtest, target, { ...asked, endSlice }, clock.nowMs()),
      simulate: (activity, approverIds) => simulate(services, target, { ...activity, ...work }, approverIds, { caller, home }),
    };
    return timer?.run('resolve', () => resolver(context, input)) ?? resolver(context, input);
  };
}

/** How activities are shown to a reader. */
function showingFor(request: QueryRequest, reader: Reader, nowMs: number): Pick<QueryContext, 'showActivity' | 'detailsReader'> {
  const { caller, target, home, types } = reader;
  const detailsReader = detailsReaderOf(reader, nowMs);
  return {
    detailsReader,
    showActivity(record) {
      if (types !== undefined && !types.includes(record.type)) requireUnfrozen(home, caller.userId);
      return request.showActivity(record, target, caller.userId, detailsReader);
    },
  };
}

/** What the caller may read of the state that activities are compared with. Asked for at most once for each query. */
function detailsReaderOf({ caller, target, home }: Reader, nowMs: number): DetailsReader {
  const { userId, credentialId, organizationId } = caller;
  const known = new Map<QueryDefinition, boolean>();
  const mayUse = (query: QueryDefinition) => {
    const may = known.get(query) ?? mayRead({ organization: home, target, query, userId, credentialId, nowMs });
    known.set(query, may);
    return may;
  };
  return { organizationId, mayUse: (list) => list.every(mayUse) };
}

/** Counts the caller against their rates before policies are evaluated, and checks the query. */
function admitCaller({ clock, statistics }: PipelineServices, request: QueryRequest, authenticated: Authenticated): void {
  request.admitted.authenticated({ ...verifiedUser(authenticated), isLogin: false });
  requireAcceptable(request, authenticated, clock.nowMs());
  statistics.sessions.used(authenticated.home, authenticated.caller.credentialId, request.proof);
}

/** Checks the form of a query that its organizations demand, and that the credential may be used for it. */
function requireAcceptable(request: QueryRequest, { caller, target, home }: Authenticated, nowMs: number): void {
  requireFresh(request, nowMs, demandsTimestamp(target) || demandsTimestamp(home));
  requireNamed(request, demandsOperation(target) || demandsOperation(home));
  if (caller.restrictedTo !== undefined && request.definition.byOneTimeKey !== true) {
    throw new ServiceError('POLICY_DENIED', 'request not authorized: this key is valid for one activity only, not for queries.');
  }
}

function demandsTimestamp({ profile }: Snapshot): boolean {
  return profile.features.some(({ name }) => name === 'FEATURE_NAME_QUERY_TIMESTAMPS');
}

/**
 * A stamped query may include its time, and an organization may require it.
 * SECURITY: without it, an attacker who sees a stamped query can replay it until the credential ends.
 */
function requireFresh({ timestampMs, proof }: QueryRequest, nowMs: number, demanded: boolean): void {
  if (timestampMs !== undefined) requireLive(typeof timestampMs === 'string' ? timestampMs : '', nowMs);
  else if (demanded && !('session' in proof)) {
    throw new ServiceError(
      'TIMESTAMP_INVALID',
      'This organization accepts queries only with timestampMs, the time of the request in milliseconds since 1970 (FEATURE_NAME_QUERY_TIMESTAMPS).',
    );
  }
}

function demandsOperation({ profile }: Snapshot): boolean {
  return profile.features.some(({ name }) => name === 'FEATURE_NAME_QUERY_OPERATIONS');
}

/**
 * A stamped query may name its operation, and an organization may require it.
 * SECURITY: D309: without it, an attacker who sees a stamped query can send its body to another query that takes the same fields.
 */
function requireNamed({ operation, definition, proof }: QueryRequest, demanded: boolean): void {
  const { path } = definition;
  const violations = [{ field: 'operation', description: `must be ${path}` }];
  if (operation !== undefined && operation !== path)
    throw new ServiceError('TYPE_MISMATCH', `This body was stamped for another operation than ${path}.`, { violations });
  if (operation === undefined && demanded && !('session' in proof))
    throw new ServiceError(
      'TYPE_MISMATCH',
      `This organization accepts queries only with their name: "operation": "${path}" (FEATURE_NAME_QUERY_OPERATIONS).`,
      { violations },
    );
}
