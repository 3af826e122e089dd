import type { ActivityDefinition, QueryDefinition } from '@countersign/contract';
import { type DialectName, dialects } from './dialects.ts';
import type { Submitted } from './types.ts';

/** One call of an operation: what to send where, and how to read what comes back. */
export interface Call<Answer> {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Throws CountersignError for what is no answer to this call. */
  read(response: unknown): Answer;
}

interface CallOptions {
  readonly organizationId: string;
  readonly dialect?: DialectName;
}

/** The call that submits an activity in its current version. Its time is now, unless given. */
export function submitCall(
  definition: ActivityDefinition,
  parameters: unknown,
  { organizationId, dialect = 'spec', timestampMs = Date.now() }: CallOptions & { readonly timestampMs?: number },
): Call<Submitted> {
  const { basePath, readSubmitted } = dialects[dialect];
  return {
    path: `${basePath}/public/v1/submit/${definition.path}`,
    body: { type: definition.type, timestampMs: String(timestampMs), organizationId, parameters },
    read: readSubmitted,
  };
}

/** The call of a query; an `organizationId` of its own wins over the given one. */
export function queryCall(
  definition: QueryDefinition,
  input: object,
  { organizationId, dialect = 'spec' }: CallOptions,
): Call<Record<string, unknown>> {
  const { basePath, readAnswer } = dialects[dialect];
  return {
    path: `${basePath}/public/v1/query/${definition.path}`,
    body: { organizationId, ...input },
    read: readAnswer,
  };
}
