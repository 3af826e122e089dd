/** Checks whether a worker responds. */
export interface Heartbeat {
  isResponsive(): boolean;
  /** The worker answered. */
  pong(): void;
  /** The worker has started. */
  ready(): void;
  /** Returns for how many seconds the worker had not responded if that is why it was killed. */
  stop(): number | undefined;
}

const INTERVAL_MS = 1_000;
/** A worker with this many unanswered pings gets no connections. */
const UNRESPONSIVE_PINGS = 2;
/** The least time for a worker that still starts: it opens the vault and the database. */
const STARTUP_SECONDS = 60;

/**
 * Pings a worker every second, and kills it when too many pings are unanswered.
 * INVARIANT: silence is counted in pings, not in time. A primary process that was itself suspended sends one late ping and kills no
 * worker.
 */
export function startHeartbeat(timeoutSeconds: number, { ping, kill }: { ping(): void; kill(): void }): Heartbeat {
  let limit = Math.max(timeoutSeconds, STARTUP_SECONDS);
  let unanswered = 0;
  let silentSeconds: number | undefined;
  const timer = setInterval(() => {
    if (unanswered >= limit) {
      silentSeconds = unanswered;
      kill();
    } else {
      unanswered++;
      ping();
    }
  }, INTERVAL_MS);
  return {
    isResponsive: () => unanswered < UNRESPONSIVE_PINGS,
    pong() {
      unanswered = 0;
    },
    ready() {
      limit = timeoutSeconds;
    },
    stop() {
      clearInterval(timer);
      return silentSeconds;
    },
  };
}
