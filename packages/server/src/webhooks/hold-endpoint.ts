import type { EndpointKey, Store } from '../store/store.ts';

/** The right of this process to deliver to an endpoint. */
export interface Hold {
  /** False once the right may have passed to another process. */
  isKept(): boolean;
  /** Lets others deliver, at once or from a given time. */
  end(notBeforeMs?: number): Promise<void>;
}

/** How long an endpoint stays reserved after its holder's last renewal. A crash costs this much delay. */
const LEASE_MS = 15_000;
const RENEW_MS = 5_000;

/** Takes an endpoint and keeps it, however long a receiver takes to respond. Undefined while another process has it. */
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
    // INVARIANT: a lost hold stays lost, because another process may have delivered what this one read before.
    // Checked again after the renewal, which may have taken long.
    const kept = isKept() && (await events.lease(endpoint, holder, nowMs, LEASE_MS)) && isKept();
    untilMs = kept ? nowMs + LEASE_MS : Number.NEGATIVE_INFINITY;
  };
  await renew();
  if (!isKept()) return undefined;
  let renewing: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    // If the database does not respond, the lease runs out unless a later renewal succeeds.
    renewing = renewing.then(renew).catch(() => undefined);
  }, RENEW_MS);
  timer.unref();
  return {
    isKept,
    async end(notBeforeMs) {
      clearInterval(timer);
      // A renewal after the release would keep the endpoint from everybody.
      await renewing;
      await (notBeforeMs === undefined ? events.release(endpoint, holder) : events.pause(endpoint, holder, notBeforeMs));
    },
  };
}
