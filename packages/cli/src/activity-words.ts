import type { ListedActivity } from '@countersign/client';
import { isSignature } from '@countersign/contract/signature-types';

/** What an activity changes, one sentence each. Undefined if there is nothing to compare. */
export function changeLines({ comparison }: Pick<ListedActivity, 'comparison'>): readonly string[] | undefined {
  if (comparison === undefined) return undefined;
  const { changes, omitted, withheld } = comparison;
  if (withheld) return ['not shown: reading is restricted, and no policy lets you read what changes'];
  if (changes.length === 0) return ['nothing: everything stays as it is'];
  const more =
    omitted === undefined ? [] : [`and ${omitted === 1_000 ? '1000 or more' : omitted} further changes: see the parameters`];
  return [...changes.map(({ text }) => text), ...more];
}

/** Who demanded approvals, and who allowed or denied the activity. */
export function authorizationFields({ authorization }: Pick<ListedActivity, 'authorization'>): Readonly<Record<string, string>> {
  const { demanded, decided } = authorization ?? {};
  return { ...(demanded && { demanded: demanded.text }), ...(decided && { decided: decided.text }) };
}

/** The state of a signature. The service never sends what it signed. */
export function signatureFields({ type, status, transactionHash }: Pick<ListedActivity, 'type' | 'status' | 'transactionHash'>): {
  readonly sent?: string;
  readonly transactionHash?: string;
} {
  if (status !== 'ACTIVITY_STATUS_COMPLETED' || !isSignature(type)) return {};
  return { sent: 'no, only signed', ...(transactionHash !== undefined && { transactionHash }) };
}

/** An activity for people: comparison and authorization as sentences. */
export function readableActivity(activity: ListedActivity): Readonly<Record<string, unknown>> {
  const { comparison: _, authorization: __, transactionHash: ___, ...rest } = activity;
  return { ...rest, ...signatureFields(activity), ...authorizationFields(activity), changes: changeLines(activity) };
}
