import type { Client, ListedActivity } from '@countersign/client';
import { type LogKey, loadLogKey, openLogProof } from '../../review/proof/log-proof.ts';

export interface CheckedProof {
  readonly holds: boolean;
  /** Reason for an invalid proof. */
  readonly reason?: string;
  readonly leafIndex: string;
  readonly size: string;
  readonly key: string;
  readonly keyState: LogKey['state'];
}

/** Verifies that the log of the service includes this activity as shown. */
export async function checkProof(client: Client, base: string, activity: ListedActivity): Promise<CheckedProof> {
  const key = await loadLogKey(base);
  const proof = await openLogProof(client, key, activity.id);
  const about = { leafIndex: proof.leafIndex, key: key.text, keyState: key.state };
  if (!proof.isIncluded) return { ...about, holds: false, reason: proof.reason, size: '?' };
  const { opening, size } = proof;
  const same =
    opening.activityId === activity.id && opening.fingerprint === activity.fingerprint && opening.type === activity.type;
  return { ...about, size, holds: same && key.state !== 'changed' };
}
