import type { Client } from '@countersign/client';
import {
  commitment,
  ed25519Verifier,
  leafHash,
  type Opening,
  openCheckpoint,
  parseOpeningText,
  parseVerifierKey,
  TlogError,
  verifyInclusion,
} from '@countersign/tlog';
import { hexToBytes } from '@noble/hashes/utils.js';
import { preference, setPreference } from '../../session/database.ts';

/** A log key as this browser knows it. `new`: seen for the first time. `changed`: differs from the key seen before. */
export interface LogKey {
  readonly text: string;
  readonly state: 'known' | 'new' | 'changed';
}

/** A proof that the log includes a leaf, or why it is invalid. */
export type LogProof =
  | { readonly isIncluded: true; readonly opening: Opening; readonly leafIndex: string; readonly size: string }
  | { readonly isIncluded: false; readonly reason: string; readonly leafIndex: string };

/** A proof that the service sent in advance. */
type GivenProof = Awaited<ReturnType<Client['getLogProof']>>;

/** Loads the log key and compares it with the one that this browser saw first. */
export async function loadLogKey(base: string): Promise<LogKey> {
  const response = await fetch(`${base}/log/key`, { redirect: 'error' });
  const text = (await response.text()).trim();
  const seen = await preference(`log-key ${base}`);
  if (seen === undefined) await setPreference(`log-key ${base}`, text);
  return { text, state: seen === undefined ? 'new' : seen === text ? 'known' : 'changed' };
}

/** The log key that this browser saw first. */
export async function pinnedLogKey(base: string, { text, state }: LogKey): Promise<string> {
  return state === 'changed' ? ((await preference(`log-key ${base}`)) ?? text) : text;
}

/**
 * Verifies that the log of the service includes the newest leaf of an activity (RFC 6962, C2SP tlog-checkpoint).
 * SECURITY: the key comes from the same service (trust on first use). A service that shows different logs to different people is detected
 * by comparing keys and checkpoints, or by witnesses.
 */
export async function openLogProof(client: Client, key: LogKey, activityId: string, given?: GivenProof): Promise<LogProof> {
  const { checkpoint, leaf, hashes } = given ?? (await client.getLogProof({ activityId }));
  const { leafIndex } = leaf;
  try {
    const verifierKey = parseVerifierKey(key.text);
    const { size, root } = openCheckpoint(checkpoint, verifierKey.name, [ed25519Verifier(verifierKey)]);
    const opening = parseOpeningText(leaf.opening);
    const hash = leafHash(commitment(opening, hexToBytes(leaf.salt)));
    const verdict = verifyInclusion({ index: Number(leafIndex), size, leafHash: hash, root }, hashes.map(hexToBytes));
    return verdict.ok
      ? { isIncluded: true, opening, leafIndex, size: String(size) }
      : { isIncluded: false, reason: verdict.reason, leafIndex };
  } catch (error) {
    if (!(error instanceof TlogError)) throw error;
    return { isIncluded: false, reason: error.message, leafIndex };
  }
}
