import { type ErrorCode, type QueryDefinition, ServiceError } from '@countersign/contract';
import type { EndSlice } from '../../admission/index.ts';
import type { Authenticated } from '../authenticate/authenticate.ts';
import type { ReaderProof } from '../authenticate/reader-proof.ts';
import { authorizeReading, type ReadScope } from './authorize-reading.ts';
import { readableTypes } from './frozen-queries.ts';

/** The caller of a query, and what they may read with it. */
export interface Reader extends Authenticated {
  readonly scope: ReadScope;
  /** The types of activities that a frozen user may read. Undefined for all. */
  readonly types: readonly string[] | undefined;
}

/** Errors of a caller whose stamp verified, which a sub-organization can cause. It has no IP allowlists. */
const ofProvenCaller: readonly ErrorCode[] = ['API_KEY_EXPIRED', 'FROZEN', 'POLICY_DENIED'];

/**
 * Finds out as which user the caller reads. A credential that a sub-organization and its parent both know reads as the user of the
 * sub-organization or, if only the user of the parent may read everything that the query shows, as that one.
 * SECURITY: D374: a sub-organization can register any public key, also that of its parent's root user, for a user without rights. It must
 * neither end the parent's access nor make lists look empty to the parent.
 */
export async function findReader(proof: ReaderProof, query: QueryDefinition, nowMs: number, endSlice: EndSlice): Promise<Reader> {
  async function readAs(asParent: boolean): Promise<Reader> {
    const authenticated = await proof.prove(asParent);
    const { home, caller } = authenticated;
    const types = readableTypes(home, caller.userId, query.name);
    return { ...authenticated, types, scope: await authorizeReading(authenticated, query, nowMs, endSlice) };
  }

  const first = await orError(readAs(false));
  const isFinal = first instanceof ServiceError ? !ofProvenCaller.includes(first.code) : readsAll(first);
  if (isFinal || !(await proof.isKnownToParent())) return orThrow(first);
  const ofParent = await orError(readAs(true));
  return ofParent instanceof ServiceError || !readsAll(ofParent) ? orThrow(first) : ofParent;
}

function readsAll({ scope, types }: Reader): boolean {
  return scope === 'ALL' && types === undefined;
}

async function orError(reader: Promise<Reader>): Promise<Reader | ServiceError> {
  try {
    return await reader;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

function orThrow(reader: Reader | ServiceError): Reader {
  if (reader instanceof ServiceError) throw reader;
  return reader;
}
