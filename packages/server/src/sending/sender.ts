import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '@countersign/contract';
import type { Logger } from 'pino';
import type { NodeShares } from '../chain-nodes/node-shares.ts';
import type { ClaimedAccount } from '../store/send-store.ts';
import type { Store } from '../store/store.ts';
import { type AdvanceServices, advanceAccount } from './advance-account.ts';
import type { Sending } from './sending.ts';
import { Turns } from './turns.ts';

export interface SenderServices extends Omit<AdvanceServices, 'sending' | 'change'> {
  readonly sending: Pick<Sending, 'nodesOf' | 'account' | 'confirmations' | 'signal'>;
  /** The chains with nodes. */
  readonly chains: readonly string[];
  /** The shares of tenants in the calls of nodes. */
  readonly shares: NodeShares;
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
/** Pause after a failure of the nodes. */
const FAILED_MS = 5_000;
const OVERTAKEN_MS = 50;
/** Pause after a release that the database did not take. */
const RELEASE_AGAIN_MS = 500;

export function startSender(services: SenderServices): Sender {
  const { store, sending, shares, log, nowMs } = services;
  const ended = new AbortController();
  const running = new Set<Promise<void>>();
  const advancing: AdvanceServices = { ...services, change: store.sends.change };

  async function advance(claimed: ClaimedAccount): Promise<void> {
    const { organizationId, chain, account, tenantId } = claimed;
    let pauseMs: number | undefined = FAILED_MS;
    try {
      const client = shares.of(sending.nodesOf(chain), tenantId);
      pauseMs = await advanceAccount(advancing, client, { organizationId, chain, account });
    } catch (error) {
      // Nothing is lost: the transactions are stored, and the account is claimed again.
      const reason = error instanceof ServiceError ? (error.reason ?? error.message) : undefined;
      log.warn(
        { organizationId, chain, account, ...(reason === undefined ? { err: error } : { reason }) },
        'sent transactions cannot be followed',
      );
    }
    const dueAtMs = pauseMs === undefined ? 0 : nowMs() + Math.max(pauseMs, OVERTAKEN_MS);
    await release(claimed, dueAtMs);
  }

  /** A busy database can fail this one write. Without another try, nobody would follow the account until its lease ends. */
  async function release(claimed: ClaimedAccount, dueAtMs: number): Promise<void> {
    for (;;) {
      try {
        return await store.sends.release(claimed, dueAtMs);
      } catch (error) {
        if (ended.signal.aborted || nowMs() + RELEASE_AGAIN_MS >= claimed.dueAtMs) throw error;
        await sleep(RELEASE_AGAIN_MS, undefined, { signal: ended.signal }).catch(() => undefined);
      }
    }
  }

  /** Claims and begins what is due on one chain. Returns whether there was something. */
  async function begin(turns: Turns): Promise<boolean> {
    const next = turns.next(nowMs());
    if (next === undefined) return false;
    const claimed = await store.sends.claim({ ...next, nowMs: nowMs(), leaseMs: LEASE_MS });
    for (const each of claimed) {
      turns.begin(each);
      const done: Promise<void> = advance(each)
        .catch((error: unknown) => log.warn({ err: error }, 'an account cannot be released'))
        .finally(() => {
          running.delete(done);
          if (turns.end(each, nowMs())) sending.signal.notify();
        });
      running.add(done);
    }
    return claimed.length > 0;
  }

  async function work(): Promise<void> {
    const all = services.chains.map((chain) => new Turns(chain, shares));
    while (!ended.signal.aborted) {
      let hasMore = false;
      for (const turns of all) {
        try {
          hasMore = (await begin(turns)) || hasMore;
        } catch (error) {
          log.warn({ err: error }, 'accounts with transactions to send cannot be claimed');
        }
      }
      if (!hasMore) await sending.signal.wait(LOOK_MS, ended.signal);
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
