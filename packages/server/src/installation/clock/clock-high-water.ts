import { z } from 'zod';
import type { HighWaterMark } from '../../store/high-water-mark.ts';
import type { Store } from '../../store/store.ts';
import { macsEqual } from '../../vault/integrity/integrity.ts';
import type { Integrity } from '../../vault/vault.ts';

const CLOCK_SETTING = 'clock.time-mark';

const shape = z.strictObject({ version: z.literal(1), atMs: z.number().int().nonnegative(), mac: z.base64() });

/** The latest time that the installation has recorded. */
export interface RecordedTime {
  /** Undefined if this installation did not write the stored time. */
  readonly atMs: number | undefined;
  /** The stored text. */
  readonly body: string;
}

/** The latest time of an installation. All its processes share it. */
export type ClockHighWater = HighWaterMark<RecordedTime, number>;

/**
 * The latest time, in the database. `raise` replaces exactly the time that was read, and returns the time of a faster process, if any.
 * SECURITY: the MAC prevents forgery by anyone with write access to the database. Restoring an older time is still possible, but is
 * useless unless the clock is set back as well.
 */
export function clockHighWater(store: Store['vault'], integrity: Integrity): ClockHighWater {
  async function read(): Promise<RecordedTime | undefined> {
    const setting = await store.setting(CLOCK_SETTING);
    return setting && { atMs: readTime(integrity, setting.body), body: setting.body };
  }
  return {
    read,
    async raise(atMs, previous) {
      const mac = Buffer.from(integrity.timeMark(atMs)).toString('base64');
      const body = JSON.stringify({ version: 1, atMs, mac } satisfies z.input<typeof shape>);
      if (await store.replaceSetting({ name: CLOCK_SETTING, body }, previous?.body)) return atMs;
      return (await read())?.atMs ?? 0;
    },
  };
}

function readTime(integrity: Integrity, body: string): number | undefined {
  try {
    const { atMs, mac } = shape.parse(JSON.parse(body));
    return macsEqual(integrity.timeMark(atMs), Buffer.from(mac, 'base64')) ? atMs : undefined;
  } catch {
    // A malformed body is treated like a wrong MAC.
    return undefined;
  }
}
