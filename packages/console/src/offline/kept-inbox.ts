import type { Risk } from '../review/finding.ts';
import { forgetInbox, type RememberedSession, rememberedInbox, rememberInbox } from '../session/database.ts';

/** A pending request as this browser shows it without a network. */
export interface KeptRequest {
  readonly id: string;
  readonly sentence: string;
  readonly who: string;
  readonly createdAtMs: number;
  /** Absent if the checks had not finished. */
  readonly risk?: Risk | undefined;
}

/** The pending requests of a person at a time. */
export interface KeptInbox {
  readonly atMs: number;
  readonly requests: readonly KeptRequest[];
}

/** Requests that are kept. */
export const MOST_REQUESTS = 50;
const MOST_CHARACTERS = 1_000;

/** SECURITY: D1161: the list of one session cannot be decrypted as that of another person or organization. */
const ownerOf = ({ organizationId, userId, expiresAtMs }: RememberedSession): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(JSON.stringify([organizationId, userId, expiresAtMs]));

/** Replaces the kept list. Nothing is kept after the session ended. */
export async function keepInbox(session: RememberedSession, requests: readonly KeptRequest[]): Promise<void> {
  const kept: KeptInbox = {
    atMs: Date.now(),
    requests: requests.slice(0, MOST_REQUESTS).map(({ id, sentence, who, createdAtMs, risk }) => {
      return { id, sentence: sentence.slice(0, MOST_CHARACTERS), who: who.slice(0, MOST_CHARACTERS), createdAtMs, risk };
    }),
  };
  const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
  // Each list has a new key, so that no nonce repeats.
  const iv = new Uint8Array(12);
  const text = new TextEncoder().encode(JSON.stringify(kept));
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData: ownerOf(session) }, key, text);
  await rememberInbox(session, { key, iv, sealed });
}

/** The kept list of a session. Undefined without such a list, or after the session expired. */
export async function keptInbox(session: RememberedSession): Promise<KeptInbox | undefined> {
  if (session.expiresAtMs <= Date.now()) {
    await forgetInbox();
    return undefined;
  }
  const kept = await rememberedInbox();
  if (kept === undefined) return undefined;
  const { key, iv, sealed } = kept;
  try {
    const text = await crypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData: ownerOf(session) }, key, sealed);
    return JSON.parse(new TextDecoder().decode(text)) as KeptInbox;
  } catch {
    return undefined;
  }
}
