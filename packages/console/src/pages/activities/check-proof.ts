import type { Client, ListedActivity } from '@countersign/client';
import {
  commitment,
  ed25519Verifier,
  leafHash,
  openCheckpoint,
  parseOpeningText,
  parseVerifierKey,
  TlogError,
  verifyInclusion,
} from '@countersign/tlog';
import { hexToBytes } from '@noble/hashes/utils.js';
import { preference, setPreference } from '../../session/database.ts';

export interface CheckedProof {
  readonly holds: boolean;
  /** Reason for an invalid proof. */
  readonly reason?: string;
  readonly leafIndex: string;
  readonly size: string;
  readonly key: string;
  /** `new`: seen for the first time. `changed`: differs from the key seen before. */
  readonly keyState: 'known' | 'new' | 'changed';
}

/**
 * Verifies that the log of the service includes this activity as shown (RFC 6962, C2SP tlog-checkpoint).
 * SECURITY: the key comes from the same service (trust on first use). A service that shows different logs to different people is detected
 * by comparing keys and checkpoints, or by witnesses.
 */
export async function checkProof(client: Client, base: string, activity: ListedActivity): Promise<CheckedProof> {
  const { checkpoint, leaf, hashes } = await client.getLogProof({ activityId: activity.id });
  const response = await fetch(`${base}/log/key`, { redirect: 'error' });
  const key = (await response.text()).trim();
  const keyState = await compareKey(base, key);
  try {
    const verifierKey = parseVerifierKey(key);
    const { size, root } = openCheckpoint(checkpoint, verifierKey.name, [ed25519Verifier(verifierKey)]);
    const opening = parseOpeningText(leaf.opening);
    const hash = leafHash(commitment(opening, hexToBytes(leaf.salt)));
    const verdict = verifyInclusion({ index: Number(leaf.leafIndex), size, leafHash: hash, root }, hashes.map(hexToBytes));
    const told = { leafIndex: leaf.leafIndex, size: String(size), key, keyState };
    if (!verdict.ok) return { ...told, holds: false, reason: verdict.reason };
    const same =
      opening.activityId === activity.id && opening.fingerprint === activity.fingerprint && opening.type === activity.type;
    return { ...told, holds: same && keyState !== 'changed' };
  } catch (error) {
    if (!(error instanceof TlogError)) throw error;
    return { holds: false, reason: error.message, leafIndex: leaf.leafIndex, size: '?', key, keyState };
  }
}

async function compareKey(base: string, key: string): Promise<CheckedProof['keyState']> {
  const seen = await preference(`log-key ${base}`);
  if (seen === undefined) await setPreference(`log-key ${base}`, key);
  return seen === undefined ? 'new' : seen === key ? 'known' : 'changed';
}
