import type { EndpointKey, Store } from '../../store/store.ts';

/** A lease that allows only this process to deliver to an endpoint. */
export interface Hold {
  /** False once another process may have the lease. */
  isKept(): boolean;
  /** Releases the endpoint, immediately or from the given time on. */
  end(notBeforeMs?: number): Promise<void>;
}

/** Duration of the lease since its last renewal. A crash delays deliveries by at most this time. */
const LEASE_MS = 15_000;
const RENEW_MS = 5_000;

/** Leases an endpoint and renews the lease until `end`. Undefined if another process has the lease. */
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
    // INVARIANT: a lost lease stays lost, because another process may have delivered the events that this one read before. Check again
    // after the renewal, which can be slow.
    const kept = isKept() && (await events.lease(endpoint, holder, nowMs, LEASE_MS)) && isKept();
    untilMs = kept ? nowMs + LEASE_MS : Number.NEGATIVE_INFINITY;
  };
  await renew();
  if (!isKept()) return undefined;
  let renewing: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    // If the database does not respond, the lease expires unless a later renewal succeeds.
    renewing = renewing.then(renew).catch(() => undefined);
  }, RENEW_MS);
  timer.unref();
  return {
    isKept,
    async end(notBeforeMs) {
      clearInterval(timer);
      // A renewal after the release would lock the endpoint for all processes.
      await renewing;
      await (notBeforeMs === undefined ? events.release(endpoint, holder) : events.pause(endpoint, holder, notBeforeMs));
    },
  };
}
