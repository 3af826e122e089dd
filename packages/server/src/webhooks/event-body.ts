import { turnkey } from '../dialects/turnkey.ts';
import type { Snapshot } from '../organizations/snapshot.ts';
import type { ActivityRecord } from '../pipeline/activity-record.ts';

/** Fields whose values could be used as a credential by whoever reads them, or hold in their text what could. */
const credentials: ReadonlySet<string> = new Set(['otpCode', 'oidcToken', 'verificationToken', 'clientSignature']);

/**
 * What an endpoint is sent: the activity, as `get_activity` shows it to a user without a say in it.
 * SECURITY: D60: values that could be used as a credential are emptied, and so is a stamped body that holds one.
 */
export function eventBody(record: ActivityRecord, organization: Snapshot): string {
  const { intent, result, votes, ...rest } = turnkey.showActivity(record, organization, '');
  return JSON.stringify({
    ...rest,
    intent: withoutCredentials(intent),
    result: withoutCredentials(result),
    votes: votes.map((vote) => (holdsCredential(JSON.parse(vote.message)) ? { ...vote, message: '' } : vote)),
  });
}

function withoutCredentials(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutCredentials);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, credentials.has(key) ? '' : withoutCredentials(inner)]),
  );
}

function holdsCredential(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => credentials.has(key) || holdsCredential(inner));
}
