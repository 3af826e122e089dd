import type { ApiKeyRecord } from './records.ts';

/** Whether an API key has expired. */
export function expired({ createdAtMs, expirationSeconds }: ApiKeyRecord, nowMs: number): boolean {
  return expirationSeconds !== undefined && createdAtMs + Number(expirationSeconds) * 1000 <= nowMs;
}
