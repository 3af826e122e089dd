import { LRUCache } from 'lru-cache';
import { backOffMs } from '../delivery/back-off.ts';

/** An organization whose first event could not be delivered: those behind it wait with it. */
interface Blocked {
  readonly attempts: number;
  readonly untilMs: number;
}

/** What this process knows of the receiver at an address. */
export interface ReceiverHealth {
  readonly url: string;
  /** Organizations whose events it does not take now. */
  blockedNow(nowMs: number): { readonly organizationIds: readonly string[]; readonly untilMs: number };
  /** True after a look at which it took nothing: then it is only asked whether it is back. */
  readonly isSuspect: boolean;
  took(organizationId: string, nowMs: number): void;
  /** Gives the time before which nobody should try again, where it seems that the receiver as a whole is down. */
  failed(organizationIds: readonly string[], tookAny: boolean, nowMs: number): number | undefined;
}

/** For how long after its last success a receiver is taken to refuse single organizations rather than to be down. */
const TRUSTED_MS = 10 * 60_000;

/** Health by endpoint. Another address begins with a clean sheet. */
export function createHealth(): (endpointId: string, url: string) => ReceiverHealth {
  const known = new LRUCache<string, ReceiverHealth>({ max: 10_000 });
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
    took(organizationId, nowMs) {
      failures = 0;
      lastTookMs = nowMs;
      blocked.delete(organizationId);
    },
    failed(organizationIds, tookAny, nowMs) {
      if (!tookAny && nowMs - lastTookMs > TRUSTED_MS) {
        failures += 1;
        return nowMs + backOffMs(failures);
      }
      for (const organizationId of organizationIds) {
        const attempts = (blocked.get(organizationId)?.attempts ?? 0) + 1;
        blocked.set(organizationId, { attempts, untilMs: nowMs + backOffMs(attempts) });
      }
      return undefined;
    },
  };
}
