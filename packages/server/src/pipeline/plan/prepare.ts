import { ServiceError } from '@countersign/contract';
import { CURRENT_RULES, denyEarly as denyUnread } from '@countersign/judgement';
import type { VerifiedIdToken } from '../../auth/oidc/oidc.ts';
import { IssuerUnavailable, OidcError } from '../../auth/oidc/oidc-error.ts';
import { rulesState } from '../../organizations/rule-change.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { Accepted, Prepared } from '../context.ts';
import { executorOf, type PipelineServices } from '../services.ts';
import type { AnyExecutor, Identities, PlanContext } from './executor.ts';
import { contextWarnings, ruleWarnings } from './rule-warnings.ts';

/** Work that may take long and holds for all attempts. It runs before the organization lock is taken. */
export async function prepare(services: PipelineServices, accepted: Accepted): Promise<Prepared> {
  const { request, authenticated, params } = accepted;
  const executor = executorOf(services, request.definition);
  if (params === undefined) return { request, authenticated, params, executor, identities: undefined, ...nothingToWarn };
  const identities = await identitiesIn(services, executor, params);
  const hopeless = isHopeless(accepted);
  const warned = hopeless ? nothingToWarn : await warningsFor(services, executor, params, accepted);
  const chain = hopeless ? undefined : await chainFor(services, executor, { params, organization: authenticated.target });
  return { request, authenticated, params, executor, identities, ...warned, ...(chain && { chain }) };
}

/**
 * What the nodes of a chain say about an activity. Throws nothing: the plan does, because a replay of an executed request must get its response.
 */
export async function chainFor(
  { organizations: { resources }, sending }: Pick<PipelineServices, 'organizations' | 'sending'>,
  { readChain }: Pick<AnyExecutor, 'readChain'>,
  { params, organization, planned }: { readonly params: unknown; readonly organization: Snapshot; readonly planned?: unknown },
): Promise<PlanContext['chain']> {
  if (readChain === undefined) return undefined;
  try {
    const tenantId = organization.profile.parentId ?? organization.id;
    sending.requireShare(tenantId);
    const context = { organization, resources, sending: sending.forTenant(tenantId), planned };
    const found = await readChain(context, params as never);
    return () => found;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return () => {
      throw error;
    };
  }
}

/** For activities that have no tokens or are not planned. */
export const noIdentities: Identities = {
  offered: false,
  trusts: () => false,
  require(_, field) {
    throw new Error(`the executor did not declare the token at ${field}`);
  },
};

type TokenServices = Pick<PipelineServices, 'auth' | 'clock'>;
type Answer = VerifiedIdToken | OidcError | IssuerUnavailable;

/**
 * Verifies the tokens in an activity's parameters, which may fetch keys from their issuers.
 * INVARIANT: runs before the organization lock is taken, and once for all attempts: a slow issuer delays only the current request. It never
 * throws for an invalid token: the plan does, because only the plan knows whether the token matters.
 */
export async function identitiesIn(
  services: TokenServices,
  { oidcTokens }: Pick<AnyExecutor, 'oidcTokens'>,
  params: unknown,
): Promise<Identities> {
  return oidcTokens === undefined ? noIdentities : identitiesOf(services, new Set(oidcTokens(params)));
}

async function identitiesOf(services: TokenServices, tokens: ReadonlySet<string>): Promise<Identities> {
  const { oidc } = services.auth;
  const nowMs = services.clock.nowMs();
  const checked = [...tokens].map(async (token) => [token, await answerFor(services, token, nowMs)] as const);
  const answers = new Map<string, Answer>(await Promise.all(checked));
  return {
    offered: oidc.offered,
    trusts: oidc.trusts,
    require(token, field) {
      if (!oidc.offered) throw notOffered(field);
      const answer = answers.get(token);
      if (answer === undefined) throw new Error(`the executor did not declare the token at ${field}`);
      return believed(answer, field);
    },
  };
}

/** Verifies a single token for a query. `field` is its path in the input. Throws if the token is invalid. */
export async function identify(services: TokenServices, token: string, field: string): Promise<VerifiedIdToken> {
  if (!services.auth.oidc.offered) throw notOffered(field);
  return believed(await answerFor(services, token, services.clock.nowMs()), field);
}

async function answerFor({ auth: { oidc } }: TokenServices, token: string, nowMs: number): Promise<Answer> {
  try {
    return await oidc.verify(token, nowMs);
  } catch (error) {
    if (error instanceof OidcError || error instanceof IssuerUnavailable) return error;
    throw error;
  }
}

function believed(answer: Answer, field: string): VerifiedIdToken {
  if (answer instanceof OidcError) throw invalidToken(answer.message, field, { cause: answer, reason: answer.reason });
  if (answer instanceof IssuerUnavailable) {
    throw new ServiceError(
      'ISSUER_UNAVAILABLE',
      'The keys of the OpenID Connect issuer of the token are unavailable. Nothing was executed; try again later.',
      { cause: answer, reason: answer.message, violations: [{ field, description: 'Its issuer does not respond correctly.' }] },
    );
  }
  return answer;
}

/** The error if the operator trusts no issuer. `field` is the field that requires one. */
export function notOffered(field: string): ServiceError {
  return new ServiceError(
    'NOT_OFFERED',
    'This server trusts no OpenID Connect issuer, so it accepts no tokens. The operator configures issuers in COUNTERSIGN_OIDC_ISSUERS.',
    { violations: [{ field, description: 'No issuer is configured.' }] },
  );
}

/** The error for an invalid token. `problem` completes a sentence about the token and quotes nothing from it. */
export function invalidToken(
  problem: string,
  field: string,
  options: ErrorOptions & { readonly reason?: string } = {},
): ServiceError {
  return new ServiceError('OIDC_TOKEN_INVALID', `invalid OIDC token: ${problem}. Get a new token from the issuer.`, {
    ...options,
    violations: [{ field, description: `The token is not accepted: ${problem}.` }],
  });
}

/**
 * Whether nothing can allow the request to its submitter.
 * SECURITY: D410: a user without rights must not cause the work of warnings, which no approver would read.
 */
function isHopeless({ request: { definition, version }, authenticated: { home, caller } }: Accepted): boolean {
  const activity = { rules: CURRENT_RULES, organization: home, votes: [caller], definition, type: version.type };
  return denyUnread(activity) !== undefined;
}

/** Warnings for the approvers of a request that changes policies or limits. */
async function warningsFor(
  services: Pick<PipelineServices, 'policies' | 'clock'>,
  { ruleChange }: Pick<AnyExecutor, 'ruleChange'>,
  params: unknown,
  { request, authenticated: { target: organization } }: Accepted,
): Promise<Pick<Prepared, 'warnings' | 'warnedOn'>> {
  if (ruleChange === undefined) return nothingToWarn;
  const { endSlice } = request.admitted;
  const nowMs = services.clock.nowMs();
  const isLong = (params as { readonly backtest?: boolean }).backtest === true;
  try {
    const change = await ruleChange({ organization, nowMs, endSlice }, params as never);
    if (change === undefined) return nothingToWarn;
    const warnings = await ruleWarnings(services, { organization, change, isLong, nowMs, endSlice });
    return { warnings, warnedOn: rulesState(organization, nowMs) };
  } catch (error) {
    // The plan reports errors in the request, and a replay of an executed request must get its response.
    if (error instanceof ServiceError) return nothingToWarn;
    throw error;
  }
}

const nothingToWarn: Pick<Prepared, 'warnings'> = { warnings: [] };

/**
 * Checks a request for approvers: whether it could be executed, and what they are warned about if it changes people, contacts or tokens.
 * Called after an attempt found that it needs approvals.
 * SECURITY: D559: the work is done for requests that approvers read, without the organization lock and in slices of the submitter. So
 * creating users by the thousand costs what it did.
 */
export async function checkForApprovers(services: PipelineServices, prepared: Prepared): Promise<Prepared> {
  const { request, executor, params, authenticated } = prepared;
  const refusal = await refusalOf(services, executor, params);
  if (refusal !== undefined) return { ...prepared, refusal, isChecked: true };
  const organization = (await services.organizations.snapshots.current(authenticated.target.id)) ?? authenticated.target;
  const { endSlice } = request.admitted;
  const nowMs = services.clock.nowMs();
  const change = executor.contextChange?.({ organization, nowMs, endSlice }, params as never);
  if (change === undefined) return { ...prepared, isChecked: true };
  const warnings = await contextWarnings(services, { organization, change, nowMs, endSlice });
  return { ...prepared, warnings, warnedOn: rulesState(organization, nowMs), isChecked: true };
}

/** Throws nothing: the attempt does, because a replay of a pending request must get its response. */
async function refusalOf(
  { notify }: Pick<PipelineServices, 'notify'>,
  { requirePossible }: Pick<AnyExecutor, 'requirePossible'>,
  params: unknown,
): Promise<ServiceError | undefined> {
  try {
    await requirePossible?.({ webhookEgress: notify.webhooks.egress }, params as never);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}
