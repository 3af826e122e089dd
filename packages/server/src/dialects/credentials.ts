import type { ActivityDetails } from '@countersign/contract';
import type { ActivityRecord } from '../organizations/activity-record.ts';

/** Fields whose values could be used as a credential by whoever reads them, or hold in their text what could. */
const credentials: ReadonlySet<string> = new Set(['otpCode', 'oidcToken', 'verificationToken', 'clientSignature']);

/**
 * An activity without the credentials that it was submitted with: their values are emptied, and so is a stamped body that holds one.
 * SECURITY: D61: every user of an organization reads its activities, so this is what is shown of them. What is stored stays whole.
 */
export function hideCredentials(details: ActivityDetails): ActivityDetails {
  return {
    ...details,
    intent: withoutCredentials(details.intent),
    result: withoutCredentials(details.result),
    votes: details.votes.map((vote) => (holdsCredential(JSON.parse(vote.message)) ? { ...vote, message: '' } : vote)),
  };
}

/** Any JSON, with the values of credentials emptied at every depth. */
export function withoutCredentials<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutCredentials) as T;
  const entries = Object.entries(value).map(([key, inner]) => [key, credentials.has(key) ? '' : withoutCredentials(inner)]);
  return Object.fromEntries(entries) as T;
}

/** Whether a caller may see an activity with its credentials, which came from the submitter. Those who vote on it may not. */
export function isSubmitter({ votes }: ActivityRecord, callerId: string): boolean {
  return votes[0]?.userId === callerId;
}

function holdsCredential(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => credentials.has(key) || holdsCredential(inner));
}
