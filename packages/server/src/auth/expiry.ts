import type { ApiKeyRecord } from '../organizations/records.ts';

/** Whether an API key's life is over. */
export function expired({ createdAtMs, expirationSeconds }: ApiKeyRecord, nowMs: number): boolean {
  return expirationSeconds !== undefined && createdAtMs + Number(expirationSeconds) * 1000 <= nowMs;
}
