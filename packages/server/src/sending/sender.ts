import { ServiceError } from '@countersign/contract';
import type { Logger } from 'pino';
import type { SendAccountRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { type AdvanceServices, advanceAccount } from './advance-account.ts';
import type { Sending } from './sending.ts';

export interface SenderServices extends Omit<AdvanceServices, 'sending' | 'change'> {
  readonly sending: Sending;
  readonly store: Pick<Store, 'sends'>;
  readonly log: Pick<Logger, 'warn' | 'error'>;
}

/** Sends and follows transactions until `stop`. Any number of processes can run one. */
export interface Sender {
  stop(): Promise<void>;
}

/** How often to look for accounts that other processes added or left. */
const LOOK_MS = 1_000;
/** Longer than a pass takes. A process that ends leaves its accounts to the others after this time. */
const LEASE_MS = 60_000;
const MAX_ACCOUNTS = 16;
/** Pause after a failure of the nodes. */
const FAILED_MS = 5_000;
const OVERTAKEN_MS = 50;

export function startSender(services: SenderServices): Sender {
  const { store, sending, log, nowMs } = services;
  const ended = new AbortController();
  const running = new Set<Promise<void>>();
  const advancing: AdvanceServices = { ...services, change: store.sends.change };

  async function advance(claimed: SendAccountRow): Promise<void> {
    const { organizationId, chain, account } = claimed;
    let pauseMs: number | undefined = FAILED_MS;
    try {
      pauseMs = await advanceAccount(advancing, sending.nodesOf(chain), { organizationId, chain, account });
    } catch (error) {
      // Nothing is lost: the transactions are stored, and the account is claimed again.
      const reason = error instanceof ServiceError ? (error.reason ?? error.message) : undefined;
      log.warn(
        { organizationId, chain, account, ...(reason === undefined ? { err: error } : { reason }) },
        'sent transactions cannot be followed',
      );
    }
    const dueAtMs = pauseMs === undefined ? 0 : nowMs() + Math.max(pauseMs, OVERTAKEN_MS);
    await store.sends.release(claimed, dueAtMs);
  }

  async function work(): Promise<void> {
    while (!ended.signal.aborted) {
      try {
        const room = MAX_ACCOUNTS - running.size;
        const claimed = room > 0 ? await store.sends.claim(nowMs(), LEASE_MS, room) : [];
        for (const each of claimed) {
          const done: Promise<void> = advance(each)
            .catch((error: unknown) => log.warn({ err: error }, 'an account cannot be released'))
            .finally(() => {
              running.delete(done);
            });
          running.add(done);
        }
        if (claimed.length > 0 && running.size < MAX_ACCOUNTS) continue;
      } catch (error) {
        log.warn({ err: error }, 'accounts with transactions to send cannot be claimed');
      }
      await sending.signal.wait(LOOK_MS, ended.signal);
    }
    await Promise.all(running);
  }

  const working = work();
  return {
    async stop() {
      ended.abort();
      await working;
    },
  };
}
