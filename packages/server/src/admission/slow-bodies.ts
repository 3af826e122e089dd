/** A body that is arriving. */
export interface WatchedBody {
  readonly sinceMs: number;
  receivedBytes: number;
  readonly giveUp: () => void;
}

/** Time before a body counts as slow. A bad connection may recover in it. */
const GRACE_MS = 5_000;
/** Slowest rate of a body, in bytes per second: far below any usable link. */
const MIN_RATE = 1_024;
const CHECK_MS = 1_000;

/** Gives up bodies that arrive too slowly. */
export class SlowBodies {
  readonly #arriving = new Set<WatchedBody>();
  readonly #nowMs: () => number;
  #timer: NodeJS.Timeout | undefined;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** SECURITY: D166: a client that sends a byte from time to time would hold a connection and memory without limit. */
  watch(giveUp: () => void): WatchedBody {
    const body = { sinceMs: this.#nowMs(), receivedBytes: 0, giveUp };
    this.#arriving.add(body);
    this.#timer ??= setInterval(() => this.check(), CHECK_MS).unref();
    return body;
  }

  done(body: WatchedBody): void {
    this.#arriving.delete(body);
    if (this.#arriving.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  check(): void {
    const now = this.#nowMs();
    for (const body of this.#arriving) {
      const ageMs = now - body.sinceMs;
      if (ageMs > GRACE_MS && body.receivedBytes < (ageMs / 1000) * MIN_RATE) body.giveUp();
    }
  }
}
