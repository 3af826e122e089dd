import type { EndpointKey, Store } from '../store/store.ts';

/** The right to deliver to an endpoint, which this process has for as long as it lives. */
export interface Hold {
  /** False once the right may have passed to another process. */
  isKept(): boolean;
  /** Lets others deliver: at once, or not before a time. */
  end(notBeforeMs?: number): Promise<void>;
}

/** How long an endpoint is nobody else's after its holder was last heard of: what a crash costs. */
const LEASE_MS = 15_000;
const RENEW_MS = 5_000;

/** Takes an endpoint and keeps it, however long a receiver takes to answer. Undefined while another process has it. */
export async function holdEndpoint(
  events: Pick<Store['events'], 'lease' | 'release' | 'pause'>,
  clock: { nowMs(): number },
  endpoint: EndpointKey,
  holder: string,
): Promise<Hold | undefined> {
  let untilMs = Number.POSITIVE_INFINITY;
  const isKept = () => clock.nowMs() < untilMs;
  const renew = async () => {
    const nowMs = clock.nowMs();
    // INVARIANT: what was lost once stays lost: another process may have delivered meanwhile what this one read before.
    // Asked again after an answer that may have taken long.
    const kept = isKept() && (await events.lease(endpoint, holder, nowMs, LEASE_MS)) && isKept();
    untilMs = kept ? nowMs + LEASE_MS : Number.NEGATIVE_INFINITY;
  };
  await renew();
  if (!isKept()) return undefined;
  let renewing: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    // A database that does not answer lets the lease run out, unless a later renewal comes through.
    renewing = renewing.then(renew).catch(() => undefined);
  }, RENEW_MS);
  timer.unref();
  return {
    isKept,
    async end(notBeforeMs) {
      clearInterval(timer);
      // A renewal that overtook the release would keep the endpoint from everybody.
      await renewing;
      await (notBeforeMs === undefined ? events.release(endpoint, holder) : events.pause(endpoint, holder, notBeforeMs));
    },
  };
}
