import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Store } from '../store/store.ts';
import type { Metrics } from './metrics.ts';

/** Interval between two measurements. */
const EVERY_MS = 15_000;
/** Organizations that one statement counts: few enough not to delay requests. */
const SLICE = 500;
/** Pause between two statements. */
const REST_MS = 50;
/** Messages are counted up to this number. */
const MOST_MESSAGES = 10_000;

/** Work that is queued in the database. */
interface Backlog {
  readonly pending: number;
  readonly messages: Readonly<Record<string, number>>;
}

/** Counts the work that is queued in the database. `rest` is called between two statements. */
export async function measureBacklog(
  { backlog }: Pick<Store, 'backlog'>,
  rest: () => Promise<boolean> = async () => true,
): Promise<Backlog | undefined> {
  let pending = 0;
  for (let at: string | undefined = ''; at !== undefined; ) {
    const slice = await backlog.pending(at, SLICE);
    pending += slice.pending;
    at = slice.walkedTo;
    if (!(await rest())) return undefined;
  }
  return { pending, messages: await backlog.outbox(MOST_MESSAGES) };
}

/**
 * Reports the work that is queued in the database, counted in the background.
 * SECURITY: strangers may read the metrics, so reading them asks the database nothing.
 */
export function startBacklogWatch(store: Pick<Store, 'backlog'>, { watch }: Pick<Metrics, 'watch'>, log: Pick<Logger, 'warn'>) {
  const ended = new AbortController();
  const rest = async (ms: number) => {
    await sleep(ms, undefined, { signal: ended.signal, ref: false }).catch(() => undefined);
    return !ended.signal.aborted;
  };
  let measured: Backlog = { pending: 0, messages: {} };

  watchPending({ watch }, () => measured.pending);
  watchMessages({ watch }, () => measured.messages);

  async function work(): Promise<void> {
    do {
      try {
        measured = (await measureBacklog(store, () => rest(REST_MS))) ?? measured;
      } catch (error) {
        // The next measurement may succeed. Until then the last one is reported.
        log.warn({ err: error }, 'queued work cannot be counted');
      }
    } while (await rest(EVERY_MS));
  }

  const working = work();
  return {
    async stop(): Promise<void> {
      ended.abort();
      await working;
    },
  };
}

// All processes count the same rows.

export function watchPending({ watch }: Pick<Metrics, 'watch'>, read: () => number): void {
  watch({
    name: 'countersign_pending_activities',
    help: 'Activities of all organizations that wait for approvals, counted every fifteen seconds or less often',
    across: 'max',
    read,
  });
}

export function watchMessages({ watch }: Pick<Metrics, 'watch'>, read: () => Readonly<Record<string, number>>): void {
  watch({
    name: 'countersign_outbox_messages',
    help: `Mail and text messages in the outbox by state, counted up to ${MOST_MESSAGES}: waiting, parked after a permanent failure, or kept in the development mailbox`,
    label: 'state',
    across: 'max',
    read,
  });
}
