import { requestReference, ServiceError } from '@countersign/contract';
import { JsonError, type JsonLimits, type JsonObject, readStrictJson } from '@countersign/strict-json';
import { z } from 'zod';
import { validate } from '../../wire/read-parameters.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const envelope = z.strictObject({
  type: z.string(),
  timestampMs: z.string(),
  organizationId: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  /** Only checked here: it is read from the stamped body wherever it is shown. */
  reference: requestReference.nullish().transform((reference) => reference ?? undefined),
});

/** Without the reference. */
const USUAL_KEYS = Object.keys(envelope.shape).length - 1;

export function readBodyObject(bytes: Uint8Array, limits?: JsonLimits): JsonObject {
  try {
    const value = readStrictJson(bytes, limits);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch (error) {
    if (error instanceof JsonError)
      throw new ServiceError('JSON_INVALID', `bad request body: ${error.message}`, { cause: error });
    throw error;
  }
  throw new ServiceError('JSON_INVALID', 'bad request body: it must be a JSON object.');
}

export function requireOrganizationId(organizationId: string): string {
  if (uuid.test(organizationId)) return organizationId.toLowerCase();
  throw new ServiceError('ORGANIZATION_ID_INVALID', 'malformed organization ID provided: organizationId must be a UUID.', {
    violations: [{ field: 'organizationId', description: 'must be a UUID' }],
  });
}

/** Reads the envelope of a submit request. The schema is only needed for unusual ones. */
export function readEnvelope(body: JsonObject, ignoredKeys: readonly string[]): z.output<typeof envelope> {
  const { type, timestampMs, organizationId, parameters } = body;
  if (
    typeof type === 'string' &&
    typeof timestampMs === 'string' &&
    typeof organizationId === 'string' &&
    typeof parameters === 'object' &&
    parameters !== null &&
    !Array.isArray(parameters) &&
    Object.keys(body).length === USUAL_KEYS
  )
    return { type, timestampMs, organizationId, parameters: parameters as JsonObject, reference: undefined };
  return validate(envelope, without(body, ignoredKeys));
}

/** Rejects a reference on a request that has none: nobody would see it. */
export function rejectReference({ reference }: z.output<typeof envelope>, where: string): void {
  if (reference === undefined) return;
  const description = `is not a field of ${where}`;
  throw new ServiceError('REQUEST_INVALID', `invalid request: reference ${description}`, {
    violations: [{ field: 'reference', description }],
  });
}

function without(body: JsonObject, keys: readonly string[]): unknown {
  return keys.length === 0 ? body : Object.fromEntries(Object.entries(body).filter(([key]) => !keys.includes(key)));
}
