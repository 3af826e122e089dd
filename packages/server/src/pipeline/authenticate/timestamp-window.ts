import { ServiceError } from '@countersign/contract';

const MAX_AGE_MS = 60 * 60 * 1000;
const MAX_AHEAD_MS = 5 * 60 * 1000;

/** D06: at most an hour old, at most five minutes ahead, and nothing but digits. */
export function requireLive(timestampMs: string, nowMs: number): void {
  const refuse = (message: string) => new ServiceError('TIMESTAMP_INVALID', message);
  if (!/^\d{1,15}$/.test(timestampMs)) {
    throw refuse('timestampMs must be the time of the request in milliseconds since 1970, as a string of digits.');
  }
  const time = Number(timestampMs);
  if (time < nowMs - MAX_AGE_MS) throw refuse('timestampMs is more than an hour old. Stamp a new request with the current time.');
  if (time > nowMs + MAX_AHEAD_MS) throw refuse('timestampMs is more than five minutes ahead. Check the clock of the caller.');
}
