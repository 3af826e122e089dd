import { z } from 'zod';
import type { Store } from '../../store/store.ts';
import { macsEqual } from '../../vault/integrity.ts';
import type { Integrity } from '../../vault/vault.ts';

const TIME_MARK_SETTING = 'clock.time-mark';

const shape = z.strictObject({ version: z.literal(1), atMs: z.number().int().nonnegative(), mac: z.base64() });

/** The latest time that the installation has noted. */
export interface TimeMark {
  /** Undefined where the stored mark is not one that this installation wrote. */
  readonly atMs: number | undefined;
  /** As it is stored. */
  readonly body: string;
}

/** The one mark of an installation, which all its processes share. */
export interface TimeMarks {
  read(): Promise<TimeMark | undefined>;
  /** Writes a mark durably in the place of the one that was read. False where another process was faster. */
  write(atMs: number, inPlaceOf: TimeMark | undefined): Promise<boolean>;
}

/**
 * Keeps the mark in the database.
 * SECURITY: its MAC keeps somebody with write access to the database from making one up. Putting an older mark back is still
 * possible; it takes a clock that is set back as well to gain anything from it.
 */
export function storedTimeMarks(store: Store['vault'], integrity: Integrity): TimeMarks {
  return {
    async read() {
      const setting = await store.setting(TIME_MARK_SETTING);
      return setting && { atMs: readMark(integrity, setting.body), body: setting.body };
    },
    write(atMs, inPlaceOf) {
      const mac = Buffer.from(integrity.timeMark(atMs)).toString('base64');
      const body = JSON.stringify({ version: 1, atMs, mac } satisfies z.input<typeof shape>);
      return store.replaceSetting({ name: TIME_MARK_SETTING, body }, inPlaceOf?.body);
    },
  };
}

function readMark(integrity: Integrity, body: string): number | undefined {
  try {
    const { atMs, mac } = shape.parse(JSON.parse(body));
    return macsEqual(integrity.timeMark(atMs), Buffer.from(mac, 'base64')) ? atMs : undefined;
  } catch {
    // Not even the form of a mark: the same as one whose MAC does not match.
    return undefined;
  }
}
