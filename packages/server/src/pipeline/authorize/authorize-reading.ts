import { type QueryDefinition, ServiceError } from '@countersign/contract';
import { mayReadInSteps } from '@countersign/judgement';
import { type EndSlice, runInSlices } from '../../admission/index.ts';
import type { Authenticated } from '../authenticate/authenticate.ts';

/** What a query shows its caller: everything, or the caller's own part. */
export type ReadScope = 'ALL' | 'OWN';

/** Throws if the caller may not read any of what the query shows. Reads neither the input nor the store. */
export async function authorizeReading(
  { caller, target, home }: Authenticated,
  query: QueryDefinition,
  nowMs: number,
  endSlice: EndSlice,
): Promise<ReadScope> {
  const { always } = query.reads;
  if (always === 'WHOLE') return 'ALL';
  const { userId, credentialId } = caller;
  const reading = { organization: home, target, query, userId, credentialId, nowMs };
  // SECURITY: D434: in slices, charged to the caller.
  if (await runInSlices(mayReadInSteps(reading), endSlice)) return 'ALL';
  if (always === 'OWN') return 'OWN';
  throw readingDenied(query);
}

/**
 * The error for a caller whom no policy lets read.
 * SECURITY: the same for objects that do not exist and for those of others, so that it does not reveal ids.
 */
export function readingDenied({ reads: { resources } }: Pick<QueryDefinition, 'reads'>): ServiceError {
  const named = resources.length === 1 ? `== '${resources[0]}'` : `in [${resources.map((each) => `'${each}'`).join(', ')}]`;
  return new ServiceError(
    'POLICY_DENIED',
    `request not authorized: reading is restricted (FEATURE_NAME_READ_POLICIES), and no policy lets this user read this. Ask a root user for a policy on activity.action == 'READ' && activity.resource ${named}.`,
  );
}
