import { type JsonValue, readStrictJson } from '@countersign/strict-json';

/** What the browser says about the use of a passkey (WebAuthn section 5.8.1). */
export interface ClientData {
  readonly type: string;
  /** Unpadded base64url. */
  readonly challenge: string;
  readonly origin: string;
  /** Whether the passkey was used in a frame with an ancestor of another origin. */
  readonly crossOrigin: boolean;
}

/** Client data usually has a few hundred bytes. */
const LIMITS = Object.freeze({ length: 8_192, depth: 4, values: 64, names: 32 });

/** Reads client data. Undefined if it is not strict JSON or lacks a member that every browser writes. The standard allows more members. */
export function readClientData(bytes: Uint8Array): ClientData | undefined {
  const value = readJson(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { type, challenge, origin, crossOrigin = false, topOrigin } = value as Record<string, JsonValue | undefined>;
  if (typeof type !== 'string' || typeof challenge !== 'string' || typeof origin !== 'string') return undefined;
  if (typeof crossOrigin !== 'boolean') return undefined;
  return { type, challenge, origin, crossOrigin: crossOrigin || topOrigin !== undefined };
}

function readJson(bytes: Uint8Array): JsonValue | undefined {
  try {
    return readStrictJson(bytes, LIMITS);
  } catch {
    // A JsonError. The caller rejects the stamp or the registration with its own error.
    return undefined;
  }
}
