import { type ActivityDetails, type Queries, type QueryDefinition, ServiceError } from '@countersign/contract';
import type { z } from 'zod';
import { type AdmittedRequest, type EndSlice, inSlices } from '../admission/index.ts';
import type { OidcIdentity } from '../auth/oidc/oidc.ts';
import type { ActivityRecord } from '../organizations/activity-record.ts';
import type { Snapshot } from '../organizations/snapshot.ts';
import { applicationServerKey } from '../push/vapid.ts';
import { validate } from '../wire/validate.ts';
import { withoutNulls } from '../wire/without-nulls.ts';
import { isLong, writeInSteps } from '../wire/write-in-steps.ts';
import { type PartlyWritten, WrittenJson } from '../wire/written-json.ts';
import { type Authenticated, authenticate, type Caller, type StampedBody } from './authenticate/authenticate.ts';
import { recordFirstUse } from './authenticate/mailed-key-first-use.ts';
import { authenticateSession, type PresentedSession } from './authenticate/read-only-session.ts';
import { requireLive } from './authenticate/timestamp-window.ts';
import { type AskedBacktest, askBacktest } from './backtest/ask.ts';
import type { BacktestPart } from './backtest/reading-the-past.ts';
import { identify } from './plan/identities.ts';
import type { PipelineServices } from './services.ts';
import { type ImaginedActivity, type Simulated, simulate } from './simulate.ts';

/** What a query may look at. `organization` is the one that the body names; a parent's user may read it too. */
export interface QueryContext
  extends Pick<
    PipelineServices,
    | 'store'
    | 'resources'
    | 'suborgNames'
    | 'activities'
    | 'snapshots'
    | 'logProofs'
    | 'logAudit'
    | 'pastRequests'
    | 'stepWaits'
    | 'usage'
    | 'durations'
    | 'keptAnswers'
  > {
  readonly organization: Snapshot;
  readonly caller: Caller;
  readonly nowMs: number;
  /** For answers that may be long to make. */
  readonly endSlice: EndSlice;
  /** The same, before something is read that may be large. */
  takePlace(): Promise<void> | undefined;
  /** Whether nobody is there any more to get the answer. */
  isGone(): boolean;
  /** Checks the caller again, for an answer that comes a while after the question. Throws where the credential is gone or has expired. */
  proveAgain(): Promise<void>;
  /** An activity as the caller's dialect shows it. */
  showActivity(record: ActivityRecord): ActivityDetails;
  /** Whether the caller's dialect shows what the specification has no field for. */
  readonly showBeyondSpec: boolean;
  /** Who an OpenID Connect token speaks of. `field` is its path in the input. Throws where it is not believed. */
  identify(token: string, field: string): Promise<OidcIdentity>;
  /** Judges an activity of this organization without carrying it out. */
  simulate(
    activity: Pick<ImaginedActivity, 'definition' | 'version'>,
    parameters: unknown,
    approverIds: readonly string[],
  ): Promise<Simulated>;
  /** The public half of an organization's sign-in key. */
  signInKey(organizationId: string): string;
  /** The key that browsers know the push messages of this service by. */
  readonly applicationServerKey: string;
  /** Judges past activities of this organization under a change of its policies. */
  backtest(asked: AskedBacktest): Promise<BacktestPart>;
}

/** How one query is answered. */
export type Resolver<Q extends QueryDefinition> = (
  context: QueryContext,
  input: z.output<Q['input']>,
) => Promise<PartlyWritten<z.output<Q['output']>> | WrittenJson<z.output<Q['output']>>>;

/** Complete by construction: a contract without a resolver does not compile. */
export type Resolvers = { readonly [Name in keyof Queries]: Resolver<Queries[Name]> };

export function resolve<Q extends QueryDefinition>(_definition: Q, resolver: Resolver<Q>): Resolver<Q> {
  return resolver;
}

export interface QueryRequest {
  readonly definition: QueryDefinition;
  readonly organizationId: string;
  /** When it was made, where the caller says so. */
  readonly timestampMs: unknown;
  readonly body: unknown;
  /** Bytes of the request. */
  readonly length: number;
  /** What shows who asks: a stamp over the body, or the token of a read-only session. */
  readonly proof: StampedBody | PresentedSession;
  readonly admitted: AdmittedRequest;
  showActivity(record: ActivityRecord, organization: Snapshot, callerId: string): ActivityDetails;
  readonly showBeyondSpec: boolean;
}

/**
 * SECURITY: no commit checks a query's view of the organization, so the stored version is asked for each time: a credential that
 * another node removed is refused at once.
 */
export function createQuery(services: PipelineServices, resolvers: Resolvers) {
  const { snapshots, stampRules, clock } = services;
  const fresh = { target: snapshots.current, parent: snapshots.current };

  async function authenticateRequest({ organizationId, proof }: QueryRequest): Promise<Authenticated> {
    if ('session' in proof) return authenticateSession(fresh, organizationId, proof, clock.nowMs());
    const prove = () => authenticate(fresh, stampRules, organizationId, proof, clock.nowMs());
    const authenticated = await prove();
    return (await recordFirstUse(services, authenticated)) ? prove() : authenticated;
  }

  return async function query(request: QueryRequest): Promise<unknown> {
    const { caller, target, home } = await authenticateRequest(request);
    const { organizationId, credentialId } = caller;
    request.admitted.authenticated({ organizationId, credentialId, isLogin: false });
    requireFresh(request, clock.nowMs(), demandsTimestamp(target) || demandsTimestamp(home));
    if (caller.restrictedTo !== undefined) {
      throw new ServiceError('POLICY_DENIED', 'request not authorized: this key is good for one activity only, not for queries.');
    }
    const input = validate(request.definition.input, withoutNulls(request.body));
    const resolver = resolvers[request.definition.name as keyof Resolvers] as Resolver<QueryDefinition>;
    const { store, resources, suborgNames, activities, logProofs, logAudit, pastRequests, stepWaits, usage, durations } =
      services;
    const goOn = () => request.admitted.yieldToOthers(request.length);
    const showActivity = (record: ActivityRecord) => request.showActivity(record, target, caller.userId);
    const answer = services.longAnswers.begin(organizationId, async () => {
      if (request.admitted.isGone())
        throw new ServiceError('REQUEST_TIMEOUT', 'The connection closed before the answer was made.');
      // SECURITY: D195: the credential may have ended while the answer waited, and what is read from now on may be newer than its end.
      await authenticateRequest(request);
    });
    const context: QueryContext = {
      store,
      resources,
      suborgNames,
      activities,
      snapshots,
      logProofs,
      logAudit,
      pastRequests,
      stepWaits,
      usage,
      durations,
      keptAnswers: services.keptAnswers,
      endSlice: answer.endSlice,
      takePlace: answer.takePlace,
      isGone: request.admitted.isGone,
      async proveAgain() {
        // After the wait the request is scheduled like a new one.
        await request.admitted.turn();
        await authenticateRequest(request);
      },
      organization: target,
      caller,
      nowMs: clock.nowMs(),
      showActivity,
      showBeyondSpec: request.showBeyondSpec,
      identify: (token, field) => identify(services, token, field),
      signInKey: services.vault.service.signInKey,
      applicationServerKey: applicationServerKey(services.vault.service),
      backtest: (asked) => askBacktest(services, target, asked),
      simulate: (activity, parameters, approverIds) =>
        simulate(services, target, { ...activity, parameters, length: request.length, goOn }, approverIds),
    };
    try {
      const data = await resolver(context, input);
      if (data instanceof WrittenJson || !isLong(data)) return data;
      return await inSlices(writeInSteps(data), answer.endSlice);
    } finally {
      answer.end();
    }
  };
}

function demandsTimestamp({ profile }: Snapshot): boolean {
  return profile.features.some(({ name }) => name === 'FEATURE_NAME_QUERY_TIMESTAMPS');
}

/**
 * A stamped query may say when it was made, and an organization may demand that.
 * SECURITY: without it, whoever sees a stamped query can repeat it for as long as the credential lives.
 */
function requireFresh({ timestampMs, proof }: QueryRequest, nowMs: number, demanded: boolean): void {
  if (timestampMs !== undefined) requireLive(typeof timestampMs === 'string' ? timestampMs : '', nowMs);
  else if (demanded && !('session' in proof)) {
    throw new ServiceError(
      'TIMESTAMP_INVALID',
      'This organization takes queries only with timestampMs, the time of the request in milliseconds since 1970 (FEATURE_NAME_QUERY_TIMESTAMPS).',
    );
  }
}
