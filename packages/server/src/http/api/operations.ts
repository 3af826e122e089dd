import { hash } from 'node:crypto';
import { type ActivityDefinition, type ActivityVersion, ServiceError } from '@countersign/contract';
import type { JsonObject } from '@countersign/strict-json';
import type { AdmittedRequest, RequestFacts } from '../../admission/index.ts';
import type { StampHeaders } from '../../auth/api-key/stamp.ts';
import type { CertificateKey } from '../../auth/client-certificate.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import type { IpAddress } from '../../network/ip-address.ts';
import type { ActivityRecord } from '../../organizations/activities/activity-record.ts';
import type { StampedBody } from '../../pipeline/authenticate/authenticate.ts';
import { createSignInPlace } from '../../pipeline/authenticate/resolve-sub-organization.ts';
import { claimedCredential } from '../../pipeline/authenticate/unverified-caller.ts';
import { createQuery, type QueryRequest, type Resolvers } from '../../pipeline/query.ts';
import type { PipelineServices } from '../../pipeline/services.ts';
import { createSubmit } from '../../pipeline/submit.ts';
import { readBodyObject, readEnvelope, rejectReference, requireOrganizationId } from './envelope.ts';
import { jsonLimitsOf } from './json-limits.ts';
import { readProof } from './read-proof.ts';
import type { Route } from './routes.ts';

/** Executes an operation and returns the response body as a value. */
export type Operate = (
  route: Route,
  headers: StampHeaders,
  bytes: Uint8Array,
  clientAddress: () => IpAddress | undefined,
  admitted: AdmittedRequest,
  certificateKey?: CertificateKey,
) => Promise<unknown>;

/** INVARIANT: the strict reader sees the bytes before anything else, and stamp and fingerprint cover these same bytes. */
export function createOperate(services: PipelineServices, resolvers: Resolvers): Operate {
  const submit = createSubmitOperation(services);
  const query = createQueryOperation(services, resolvers);

  return async function operate(route, headers, bytes, clientAddress, admitted, certificateKey) {
    const startedAt = performance.now();
    const proof = readProof(headers, bytes, clientAddress, certificateKey);
    admitted.claim(proof instanceof Error ? '' : claimedCredential(proof));
    await (admitted.timer?.run('wait', () => admitted.turn()) ?? admitted.turn());
    let sent: JsonObject = {};
    try {
      const body = readBodyObject(bytes, jsonLimitsOf(route.definition));
      sent = body;
      await admitted.yieldToOthers(bytes.length);
      if (proof instanceof Error) throw proof;
      if (route.kind === 'query') return await query(route, { body, length: bytes.length, proof, admitted });
      if ('session' in proof)
        throw new ServiceError(
          'STAMP_MISSING',
          'A read-only session can only query. Stamp the body of requests that change or sign.',
        );
      return await submit(route, { body, stamped: proof, admitted, startedAt });
    } catch (error) {
      throw admitted.failed(withSentOrganization(error, sent));
    }
  };
}

/**
 * Adds the organization to the error of an unknown caller.
 * SECURITY: D711: it is the id that the request contains, which may resolve to another organization, and it is added whether or not that
 * organization exists. INVARIANT: it is a UUID, because nothing else gets as far as this error.
 */
function withSentOrganization(error: unknown, { organizationId }: JsonObject): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'PUBLIC_KEY_NOT_FOUND' || typeof organizationId !== 'string')
    return error;
  return new ServiceError(error.code, error.message, { cause: error, organizationId });
}

interface SubmitOperation {
  readonly body: JsonObject;
  readonly stamped: StampedBody;
  readonly admitted: AdmittedRequest;
  /** By the clock of `performance`. */
  readonly startedAt: number;
}

function createSubmitOperation(services: PipelineServices) {
  const submit = createSubmit(services);
  const signInPlace = createSignInPlace(services);

  return async (
    { dialect, definition }: Route & { kind: 'submit' },
    { body, stamped, admitted, startedAt }: SubmitOperation,
  ): Promise<unknown> => {
    const envelope = readEnvelope(body, dialect.ignoredSubmitKeys);
    const { type, timestampMs, organizationId, parameters } = envelope;
    if (definition.vote !== undefined) rejectReference(envelope, 'a vote, which is about the request that it names');
    const version = requireVersion(dialect, definition, type);
    const { record, organization, caller } = await submit({
      definition,
      version,
      reader: dialect.paramsOf(version),
      organizationId: await admitted.read(() => signInPlace(definition, requireOrganizationId(organizationId), stamped)),
      timestampMs,
      parameters,
      bodyText: Buffer.from(stamped.bytes.buffer, stamped.bytes.byteOffset, stamped.bytes.length).toString('utf8'),
      fingerprint: `sha256:${hash('sha256', stamped.bytes)}`,
      stamped,
      admitted,
    });
    Object.assign(admitted.facts, activityFacts(record));
    // SECURITY: only requests with a valid stamp get here, so others cannot change the statistics of an organization.
    services.statistics.latencies.record(organization.id, performance.now() - startedAt);
    return dialect.showSubmitted(record, organization, caller.userId);
  };
}

function activityFacts({ id, status, decisions }: ActivityRecord): RequestFacts {
  const { outcome, policyIds } = decisions.at(-1) ?? {};
  return { activityId: id, activityStatus: status, ...(outcome && { decision: outcome }), ...(policyIds && { policyIds }) };
}

type QueryOperation = Pick<QueryRequest, 'length' | 'proof' | 'admitted'> & { readonly body: JsonObject };

function createQueryOperation(services: PipelineServices, resolvers: Resolvers) {
  const query = createQuery(services, resolvers);
  const signInPlace = createSignInPlace(services);

  return async (
    { dialect, definition }: Route & { kind: 'query' },
    { body, length, proof, admitted }: QueryOperation,
  ): Promise<unknown> => {
    const { timestampMs, operation, ...fields } = body;
    const { organizationId } = fields;
    if (typeof organizationId !== 'string') {
      throw new ServiceError('REQUEST_INVALID', 'invalid request: organizationId is required', {
        violations: [{ field: 'organizationId', description: 'is required' }],
      });
    }
    const claimedId = requireOrganizationId(organizationId);
    const data = await query({
      definition,
      organizationId: 'session' in proof ? claimedId : await admitted.read(() => signInPlace(definition, claimedId, proof)),
      timestampMs: timestampMs ?? undefined,
      operation: operation ?? undefined,
      body: fields,
      length,
      proof,
      admitted,
      showBeyondSpec: dialect.showBeyondSpec,
      showActivity: dialect.showActivity,
    });
    return dialect.showQueried(data, { id: services.newId(), organizationId, nowMs: services.clock.nowMs() });
  };
}

const versions = new WeakMap<Dialect, Map<string, ActivityVersion>>();

function requireVersion(dialect: Dialect, definition: ActivityDefinition, type: string): ActivityVersion {
  const version = versionOf(dialect, definition, type);
  if (version !== undefined) return version;
  const accepted = dialect
    .acceptedVersions(definition)
    .map((candidate) => candidate.type)
    .join(' or ');
  throw new ServiceError('TYPE_MISMATCH', `This path accepts the type ${accepted}.`, {
    violations: [{ field: 'type', description: `must be ${accepted}` }],
  });
}

/** The version of an activity with this type, if the dialect accepts it. Memoized, because the contract is constant. */
function versionOf(dialect: Dialect, definition: ActivityDefinition, type: string): ActivityVersion | undefined {
  const known = versions.get(dialect) ?? new Map<string, ActivityVersion>();
  versions.set(dialect, known);
  const found = known.get(type) ?? dialect.acceptedVersions(definition).find((candidate) => candidate.type === type);
  if (found === undefined || !definition.versions.includes(found)) return undefined;
  known.set(type, found);
  return found;
}
