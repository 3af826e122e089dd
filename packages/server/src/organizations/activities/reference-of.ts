import type { ActivityRecord } from './activity-record.ts';

/**
 * The reference of a request, from the body that its requester stamped. Undefined if there is none, or if the body is not stored.
 * SECURITY: D967: it has no column and no field of a record. The fingerprint and the stamp cover the only copy.
 */
export function referenceOf({ votes }: Pick<ActivityRecord, 'votes'>): string | undefined {
  const body = votes[0]?.message ?? '';
  // Most bodies have none, and some are megabytes. The name of a member can contain escapes.
  if (!body.includes('"reference"') && !body.includes('\\u')) return undefined;
  const { reference } = JSON.parse(body) as { readonly reference?: unknown };
  return typeof reference === 'string' ? reference : undefined;
}
