import type { DialectName } from '@countersign/contract';
import { readers } from './dialects.ts';
import { basePaths } from './operations.ts';
import type { Submitted } from './types.ts';

/** One call of an operation: what to send where, and how to read the response. */
export interface Call<Answer> {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Throws CountersignError if the response does not answer this call. */
  read(response: unknown): Answer;
}

interface CallOptions {
  readonly organizationId: string;
  readonly dialect?: DialectName;
}

/** The call that submits an activity in its current version. `timestampMs` defaults to now. Votes have no `reference`. */
export function submitCall(
  { path, type }: { readonly path: string; readonly type: string },
  parameters: unknown,
  {
    organizationId,
    dialect = 'spec',
    timestampMs = Date.now(),
    reference,
  }: CallOptions & { readonly timestampMs?: number; readonly reference?: string },
): Call<Submitted> {
  return {
    path: `${basePaths[dialect]}/public/v1/submit/${path}`,
    body: { type, timestampMs: String(timestampMs), organizationId, parameters, ...(reference !== undefined && { reference }) },
    read: readers[dialect].readSubmitted,
  };
}

/**
 * The call of a query. An `organizationId` in the input overrides the one in the options. The timestamp prevents a later replay of the
 * stamp, and the name of the operation prevents its use for another query.
 */
export function queryCall(
  { path }: { readonly path: string },
  input: object,
  { organizationId, dialect = 'spec' }: CallOptions,
): Call<Record<string, unknown>> {
  return {
    path: `${basePaths[dialect]}/public/v1/query/${path}`,
    body: { organizationId, timestampMs: String(Date.now()), operation: path, ...input },
    read: readers[dialect].readAnswer,
  };
}
