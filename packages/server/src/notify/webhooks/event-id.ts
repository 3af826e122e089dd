import { hash } from 'node:crypto';

/** RFC 9562, version 8. INVARIANT: the same update always has the same id, on every node, on every retry and in `list_events`. */
export function eventId(activityId: string, revision: number): string {
  const bytes = hash('sha256', `${activityId}/${revision}`, 'buffer').subarray(0, 16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
