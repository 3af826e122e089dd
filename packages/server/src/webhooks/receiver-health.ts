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
  /** True after it took nothing: then it is only asked whether it is back. */
  readonly isSuspect: boolean;
  /** Whether it took something of late, so that what fails is about single organizations. */
  isTrusted(nowMs: number): boolean;
  took(organizationId: string, nowMs: number): void;
  /** It did not take the first event of these organizations, while it may take others'. */
  block(organizationIds: readonly string[], nowMs: number): void;
  /** It took nothing of anybody. Gives the time before which nobody should try again. */
  down(nowMs: number): number;
  /** Of whom to ask next whether it takes anything: each time of others. */
  probedUpTo: string;
}

/** For how long after its last success a receiver is trusted. */
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
    took(organizationId, nowMs) {
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
