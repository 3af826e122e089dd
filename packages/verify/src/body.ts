import {
  type ActivityDefinition,
  type ActivityVersion,
  activities,
  activityByType,
  type Check,
  MAX_REFERENCE,
  redactorOf,
} from '@countersign/contract';
import { z } from 'zod';
import { AuditError, must } from './audit-error.ts';

/** A stamped body, read. */
export interface StampedRequest {
  readonly type: string;
  readonly organizationId: string;
  readonly timestampMs: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly reference?: string | null | undefined;
}

/**
 * As the service reads it. Clients of another dialect may send the last member, which means nothing. Which characters a reference may have
 * depends on the version of Unicode, so only its length is checked again.
 */
const envelope = z.strictObject({
  type: z.string(),
  timestampMs: z.string().regex(/^\d{1,15}$/),
  organizationId: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  reference: z.string().max(MAX_REFERENCE).nullish(),
  generateAppProofs: z.unknown().optional(),
});

export function readBody(body: string): StampedRequest {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new AuditError('a stamped body is not JSON');
  }
  const parsed = envelope.safeParse(value);
  if (!parsed.success) throw new AuditError('a stamped body is not a request');
  return parsed.data;
}

/** As long as the service takes a body: an hour, and five minutes ahead. */
const MAX_AGE_MS = 60 * 60 * 1000;
const MAX_AHEAD_MS = 5 * 60 * 1000;
/** More than the time between the look at a request and its commit, however slow. */
export const SLACK_MS = 10 * 60 * 1000;

/** SECURITY: D127: a body that was stamped long ago does not show what its user wants now. */
export function requireLive({ timestampMs }: StampedRequest, atMs: number): void {
  const age = atMs - Number(timestampMs);
  must(age <= MAX_AGE_MS + SLACK_MS, 'its body was stamped too long before it was accepted');
  must(-age <= MAX_AHEAD_MS + SLACK_MS, 'its body was stamped after it was accepted');
}

/** An activity type of the contract. Throws AuditError for one that this release does not know. */
export function knownType(type: string): { readonly definition: ActivityDefinition; readonly version: ActivityVersion } {
  const known = activityByType.get(type);
  if (known === undefined) throw new AuditError(`not modelled: ${type}`);
  return known;
}

/** The parameters in their current form. Throws AuditError for parameters that the type does not take. */
export function currentParameters({ params }: ActivityVersion, parameters: unknown): unknown {
  const check: Check = (schema, value) => {
    const parsed = schema.safeParse(value);
    if (!parsed.success) throw new AuditError('the parameters of a stamped body are not those of its type');
    return parsed.data;
  };
  return params.read(check, withoutNulls(parameters));
}

/** The same for parameters whose secrets are empty, which no schema takes. */
export function redactedParameters({ params }: ActivityVersion, parameters: unknown): unknown {
  const check = ((_schema: unknown, value: unknown) => value) as Check;
  return params.read(check, withoutNulls(parameters));
}

/** An explicit null counts as absent. List items stay as they are. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutNulls);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (member === null ? [] : [[name, withoutNulls(member)]])),
  );
}

const mayHoldSecrets: ReadonlySet<string> = new Set(
  Object.values<ActivityDefinition>(activities)
    .filter(({ input, intent, versions }) => redactorOf([input, intent, ...versions.map(({ params }) => params.schema)]))
    .map(({ name }) => name),
);

/** Only a body that may hold a secret may be left out. */
export function requireWithholdable({ name }: ActivityDefinition): void {
  must(mayHoldSecrets.has(name), 'its stamped body is missing, although it contains no secret');
}

/** Checks a body that votes on an activity by its fingerprint. */
export function requireVoteFor(request: StampedRequest, organizationId: string, fingerprint: string, selection: string): void {
  const { definition } = knownType(request.type);
  must(definition.vote === selection, 'a vote was stamped as something else');
  must(request.organizationId.toLowerCase() === organizationId, 'a vote was stamped for another organization');
  must(
    request.reference === undefined || request.reference === null,
    'a vote has a reference, which the service does not accept',
  );
  must(request.parameters.fingerprint === fingerprint, 'a vote was stamped for another activity');
}
