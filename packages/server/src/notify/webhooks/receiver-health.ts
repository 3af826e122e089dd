import { LRUCache } from 'lru-cache';
import { lazyLru } from '../../admission/index.ts';
import { backOffMs } from '../delivery/back-off.ts';

/** An organization whose first event could not be delivered. Its later events wait too. */
interface Blocked {
  readonly attempts: number;
  readonly untilMs: number;
}

/** What this process knows about the receiver at an address. */
export interface ReceiverHealth {
  readonly url: string;
  /** Organizations with events that the receiver does not accept now. */
  blockedNow(nowMs: number): { readonly organizationIds: readonly string[]; readonly untilMs: number };
  /** True after the receiver accepted nothing. From then on, deliveries only probe whether it is back. */
  readonly isSuspect: boolean;
  /** Whether the receiver accepted an event recently. If so, a failure affects only single organizations. */
  isTrusted(nowMs: number): boolean;
  delivered(organizationId: string, nowMs: number): void;
  /** Records that the receiver did not accept the first event of these organizations, but may accept events of others. */
  block(organizationIds: readonly string[], nowMs: number): void;
  /** Records that the receiver accepted no event of any organization. Returns the earliest time for a retry. */
  down(nowMs: number): number;
  /** The organization that was probed last. The next probe continues after it. */
  probedUpTo: string;
}

/** How long a receiver is trusted after its last success. */
const TRUSTED_MS = 10 * 60_000;

/** Health by endpoint. A new address starts with no history. */
export function createHealth(): (endpointId: string, url: string) => ReceiverHealth {
  const known = new LRUCache<string, ReceiverHealth>(lazyLru(10_000));
  return (endpointId, url) => {
    const before = known.get(endpointId);
    if (before?.url === url) return before;
    const fresh = newHealth(url);
    known.set(endpointId, fresh);
    return fresh;
  };
}

function newHealth(url: string): ReceiverHealth {
  const blocked = new Map<string, Blocked>();
  let failures = 0;
  let lastTookMs = Number.NEGATIVE_INFINITY;
  return {
    url,
    probedUpTo: '',
    blockedNow(nowMs) {
      const waiting = [...blocked].filter(([, wait]) => wait.untilMs > nowMs);
      return {
        organizationIds: waiting.map(([organizationId]) => organizationId),
        untilMs: Math.min(...waiting.map(([, wait]) => wait.untilMs)),
      };
    },
    get isSuspect() {
      return failures > 0;
    },
    isTrusted: (nowMs) => nowMs - lastTookMs <= TRUSTED_MS,
    delivered(organizationId, nowMs) {
      failures = 0;
      lastTookMs = nowMs;
      blocked.delete(organizationId);
    },
    block(organizationIds, nowMs) {
      for (const organizationId of organizationIds) {
        const attempts = (blocked.get(organizationId)?.attempts ?? 0) + 1;
        blocked.set(organizationId, { attempts, untilMs: nowMs + backOffMs(attempts) });
      }
    },
    down(nowMs) {
      failures += 1;
      return nowMs + backOffMs(failures);
    },
  };
}
