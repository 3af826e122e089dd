const pattern = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|[+-]00:00)$/;

/**
 * Parses an RFC 3339 text with zero offset into milliseconds since 1970. Undefined if it is not valid.
 * Dates that do not exist and leap seconds are rejected, not rolled over. Digits below a millisecond must be zero.
 */
export function parseTimestamp(text: string): bigint | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const fraction = (match[7] ?? '').padEnd(9, '0');
  if (hour > 23 || minute > 59 || second > 59 || !/^\d{3}0{6}$/.test(fraction)) return undefined;
  const date = new Date(0);
  // Unlike Date.UTC, setUTCFullYear does not map the years 0 to 99 to 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  date.setUTCHours(hour, minute, second, Number(fraction.slice(0, 3)));
  return BigInt(date.getTime());
}

/** The RFC 3339 text of a time in milliseconds, for messages. */
export function formatTimestamp(milliseconds: bigint): string {
  const date = new Date(Number(milliseconds));
  return Number.isNaN(date.getTime()) ? String(milliseconds) : date.toISOString();
}
