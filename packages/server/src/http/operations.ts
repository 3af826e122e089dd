import { hash } from 'node:crypto';
import { type ActivityDefinition, type ActivityVersion, ServiceError } from '@countersign/contract';
import { JsonError, type JsonLimits, type JsonObject, readStrictJson } from '@countersign/strict-json';
import { z } from 'zod';
import { addressBlock, createSlices, inSlices } from '../admission/index.ts';
import { parseSession, parseStamp, type StampHeaders } from '../auth/stamp.ts';
import { StampError } from '../auth/stamp-error.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { IpAddress } from '../network/ip-address.ts';
import type { StampedBody } from '../pipeline/authenticate/authenticate.ts';
import type { PresentedSession } from '../pipeline/authenticate/read-only-session.ts';
import { createSignInPlace } from '../pipeline/authenticate/resolve-sub-organization.ts';
import { claimantOf } from '../pipeline/authenticate/unverified-caller.ts';
import { createQuery, type QueryRequest, type Resolvers } from '../pipeline/query.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import { createSubmit } from '../pipeline/submit.ts';
import { validate } from '../wire/validate.ts';
import { isLong, writeInSteps } from '../wire/write-in-steps.ts';
import { jsonLimitsOf } from './json-limits.ts';
import type { Route } from './routes.ts';

/** Bytes of a request from which on its answer may be long. */
const LONG_REQUEST = 32_768;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const envelope = z.strictObject({
  type: z.string(),
  timestampMs: z.string(),
  organizationId: z.string(),
  parameters: z.record(z.string(), z.unknown()),
});

/** Returns the address of the request's client. Undefined when it is unknown. */
type TellAddress = () => IpAddress | undefined;

/**
 * Answers an operation: takes bytes, headers and the client's address, returns the response body as a value.
 */
export type Operate = (
  route: Route,
  headers: StampHeaders,
  bytes: Uint8Array,
  clientAddress: TellAddress,
  waiting: Waiting,
) => Promise<unknown>;

/** A request that waits for its turn. */
export interface Waiting {
  /** Whether its client has hung up. */
  isGone(): boolean;
  /** Told when its turn has come. */
  begun(): void;
}

/** INVARIANT: the strict reader sees the bytes before anything else, and stamp and fingerprint cover these same bytes. */
export function createOperate(services: PipelineServices, resolvers: Resolvers): Operate {
  const submit = createSubmit(services);
  const query = createQuery(services, resolvers);
  const signInPlace = createSignInPlace(services);
  const { rates, turns } = services;

  return async function operate(route, headers, bytes, clientAddress, waiting) {
    const startedAt = performance.now();
    const proof = readProof(headers, bytes, clientAddress);
    const claimant = proof instanceof Error ? { address: addressBlock(clientAddress()), credential: '' } : claimantOf(proof);
    const doubt = rates.doubt(claimant);
    const flow = rates.flowOf(claimant);
    const turn = turns.wait(flow, waiting.isGone);
    if (turn !== undefined) await turn;
    waiting.begun();
    try {
      const body = readBodyObject(bytes, jsonLimitsOf(route.definition));
      const next = turns.goOn(() => flow, bytes.length, waiting.isGone);
      if (next !== undefined) await next;
      if (proof instanceof Error) throw proof;
      if (route.kind === 'query') return await queried(route, { body, length: bytes.length }, proof, waiting.isGone);
      if ('session' in proof)
        throw new ServiceError('STAMP_MISSING', 'A session may only read. Stamp the body of anything that changes or signs.');
      return await submitted(route, body, proof, startedAt);
    } catch (error) {
      throw doubt.judge(error);
    }
  };

  async function submitted(
    { dialect, definition }: Route & { kind: 'submit' },
    body: JsonObject,
    stamped: StampedBody,
    startedAt: number,
  ): Promise<unknown> {
    const { type, timestampMs, organizationId, parameters } = readEnvelope(body, dialect.ignoredSubmitKeys);
    const version = versionOf(dialect, definition, type);
    if (version === undefined) {
      const accepted = dialect.acceptedVersions(definition);
      throw new ServiceError(
        'TYPE_MISMATCH',
        `This path takes the type ${accepted.map((candidate) => candidate.type).join(' or ')}, not the one given.`,
        {
          violations: [{ field: 'type', description: `must be ${accepted.map((candidate) => candidate.type).join(' or ')}` }],
        },
      );
    }
    const { record, organization, caller } = await submit({
      definition,
      version,
      reader: dialect.paramsOf(version),
      organizationId: await signInPlace(definition, requireOrganizationId(organizationId), stamped),
      timestampMs,
      parameters,
      bodyText: Buffer.from(stamped.bytes.buffer, stamped.bytes.byteOffset, stamped.bytes.length).toString('utf8'),
      fingerprint: `sha256:${hash('sha256', stamped.bytes)}`,
      stamped,
    });
    // SECURITY: only requests with a valid stamp get here, so nobody else draws in the plot of an organization.
    services.durations.note(organization.id, performance.now() - startedAt);
    const shown = dialect.showSubmitted(record, organization, caller.userId);
    // SECURITY: D252: what was sent is a part of the answer.
    const mayBeLong = stamped.bytes.length > LONG_REQUEST && isLong(shown);
    return mayBeLong ? inSlices(writeInSteps(shown), createSlices(organization.id)) : shown;
  }

  async function queried(
    { dialect, definition }: Route & { kind: 'query' },
    { body, length }: { readonly body: JsonObject; readonly length: number },
    proof: QueryRequest['proof'],
    isGone: QueryRequest['isGone'],
  ): Promise<unknown> {
    const { timestampMs, ...fields } = body;
    const { organizationId } = fields;
    if (typeof organizationId !== 'string') {
      throw new ServiceError('REQUEST_INVALID', 'invalid request: organizationId is required', {
        violations: [{ field: 'organizationId', description: 'is required' }],
      });
    }
    const named = requireOrganizationId(organizationId);
    const data = await query({
      definition,
      organizationId: 'session' in proof ? named : await signInPlace(definition, named, proof),
      timestampMs: timestampMs ?? undefined,
      body: fields,
      length,
      proof,
      isGone,
      showBeyondSpec: dialect.showBeyondSpec,
      showActivity: (record, organization, callerId) => dialect.showActivity(record, organization, callerId),
    });
    return dialect.showQueried(data, { id: services.newId(), organizationId, nowMs: services.clock.nowMs() });
  }
}

const versions = new WeakMap<Dialect, Map<string, ActivityVersion>>();

/** The version of an activity with this type, where the dialect takes it. The contract is never changed, so each is looked for once. */
function versionOf(dialect: Dialect, definition: ActivityDefinition, type: string): ActivityVersion | undefined {
  const known = versions.get(dialect) ?? new Map<string, ActivityVersion>();
  versions.set(dialect, known);
  const found = known.get(type) ?? dialect.acceptedVersions(definition).find((candidate) => candidate.type === type);
  if (found === undefined || !definition.versions.includes(found)) return undefined;
  known.set(type, found);
  return found;
}

export function readBodyObject(bytes: Uint8Array, limits?: JsonLimits): JsonObject {
  try {
    const value = readStrictJson(bytes, limits);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch (fault) {
    if (fault instanceof JsonError)
      throw new ServiceError('JSON_INVALID', `bad request body: ${fault.message}`, { cause: fault });
    throw fault;
  }
  throw new ServiceError('JSON_INVALID', 'bad request body: it must be a JSON object.');
}

/**
 * What a request brings to show who sends it. Not checked yet. What is wrong with it is given back and not thrown: it is told after what is
 * wrong with the body.
 */
function readProof(
  headers: StampHeaders,
  bytes: Uint8Array,
  clientAddress: TellAddress,
): StampedBody | PresentedSession | ServiceError {
  try {
    const session = parseSession(headers);
    return session === undefined ? { stamp: parseStamp(headers), bytes, clientAddress } : { session, clientAddress };
  } catch (fault) {
    if (!(fault instanceof StampError)) throw fault;
    if (fault.reason !== 'MISSING')
      return new ServiceError('STAMP_MALFORMED', malformed(headers, fault), { cause: fault, reason: fault.reason });
    return new ServiceError(
      'STAMP_MISSING',
      'cannot authenticate public API activity request without a stamp (X-Stamp/X-Stamp-Webauthn header). Stamp the body with a registered API key.',
    );
  }
}

/** What is wrong with a stamp that cannot be read, by the header that it came in. */
function malformed(headers: StampHeaders, { reason }: StampError): string {
  if (reason === 'PRIVATE_KEY_SENT')
    return 'malformed activity stamp: in the place of the signature stands what looks like a private key. A stamp holds a signature over the body, never the private key. Treat this key as leaked: delete it and register a new one. This server does not keep it.';
  if (reason === 'AMBIGUOUS')
    return 'malformed activity stamp: there is more than one. Send one of X-Stamp, X-Stamp-Webauthn and X-Session, once.';
  if (headers['x-stamp-webauthn'] !== undefined)
    return 'malformed activity stamp: could not extract webauthn stamp. Send one X-Stamp-Webauthn header: {"credentialId","authenticatorData","clientDataJson","signature"} as JSON or its base64url, each value in base64url without padding.';
  return 'malformed activity stamp: could not extract api key stamp. Send one X-Stamp header: base64url of {"publicKey","scheme","signature"}.';
}

export function requireOrganizationId(organizationId: string): string {
  if (uuid.test(organizationId)) return organizationId.toLowerCase();
  throw new ServiceError('ORGANIZATION_ID_INVALID', 'malformed organization ID provided: organizationId must be a UUID.', {
    violations: [{ field: 'organizationId', description: 'must be a UUID' }],
  });
}

/** The envelope of a submit. What is plainly one needs no schema; the schema has the word on everything else. */
export function readEnvelope(body: JsonObject, ignoredKeys: readonly string[]): z.output<typeof envelope> {
  const { type, timestampMs, organizationId, parameters } = body;
  if (
    typeof type === 'string' &&
    typeof timestampMs === 'string' &&
    typeof organizationId === 'string' &&
    typeof parameters === 'object' &&
    parameters !== null &&
    !Array.isArray(parameters) &&
    Object.keys(body).length === ENVELOPE_KEYS
  )
    return { type, timestampMs, organizationId, parameters: parameters as JsonObject };
  return validate(envelope, without(body, ignoredKeys));
}

const ENVELOPE_KEYS = Object.keys(envelope.shape).length;

function without(body: JsonObject, keys: readonly string[]): unknown {
  return keys.length === 0 ? body : Object.fromEntries(Object.entries(body).filter(([key]) => !keys.includes(key)));
}
