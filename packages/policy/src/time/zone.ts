const MINUTE = 60_000;

/** The offset of a time zone from UTC at an instant, in milliseconds. */
export type ZoneOffset = (instantMs: number) => number;

// A formatter is expensive to create and cheap to use. SECURITY: the key is the canonical name. `uTc` is as valid as `UTC`, and a map with
// keys chosen by callers would grow without bound.
const zones = new Map<string, ZoneOffset>();

/** The zone of an IANA name, or undefined. Offsets such as `+02:00` are not names. */
export function findZone(name: string): ZoneOffset | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_]*(?:[/+-][A-Za-z0-9_]+)*$/.test(name)) return undefined;
  const known = zones.get(name);
  if (known !== undefined) return known;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    // The constructor throws RangeError for an unknown name. There is no other way to check.
    return undefined;
  }
  const canonical = format.resolvedOptions().timeZone;
  const same = zones.get(canonical);
  if (same !== undefined) return same;
  const zone: ZoneOffset = (instantMs) => {
    const whole = Math.floor(instantMs / MINUTE) * MINUTE;
    const parts: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(whole)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) - whole;
  };
  zones.set(canonical, zone);
  return zone;
}
