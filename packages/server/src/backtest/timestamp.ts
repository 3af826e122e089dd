/** The time of a decision. Votes in the same millisecond are ordered by their ids, which sort by time. */
export interface Timestamp {
  readonly atMs: number;
  readonly voteId: string;
}

export function compareTimestamps(a: Timestamp, b: Timestamp): number {
  if (a.atMs !== b.atMs) return a.atMs - b.atMs;
  return a.voteId < b.voteId ? -1 : a.voteId > b.voteId ? 1 : 0;
}

/** The lowest id that can be created at a time. RFC 9562, section 5.7: ids begin with 48 bits of milliseconds. */
export function lowestIdAt(ms: number): string {
  const digits = Math.min(Math.max(0, ms), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
}
