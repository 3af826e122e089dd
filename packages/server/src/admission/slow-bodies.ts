/** A body that is arriving. */
export interface Arriving {
  readonly sinceMs: number;
  receivedBytes: number;
  /** Refuses the request. */
  readonly giveUp: () => void;
}

/** How long a body may be slow. A bad connection needs that to recover. */
const GRACE_MS = 5_000;
/** Bytes in a second below which a body is too slow: far less than any link has on which a person would wait. */
const MIN_RATE = 1_024;
const CHECK_MS = 1_000;

/** Watches bodies as they arrive, and gives up those that come too slowly. */
export class SlowBodies {
  readonly #arriving = new Set<Arriving>();
  readonly #nowMs: () => number;
  #timer: NodeJS.Timeout | undefined;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** SECURITY: D166: a client that sends a byte now and then holds a connection and memory for as long as it likes. */
  watch(giveUp: () => void): Arriving {
    const body = { sinceMs: this.#nowMs(), receivedBytes: 0, giveUp };
    this.#arriving.add(body);
    this.#timer ??= setInterval(() => this.check(), CHECK_MS).unref();
    return body;
  }

  done(body: Arriving): void {
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
