import { RoundRobin } from './round-robin.ts';

/** A body whose reading can wait. */
export interface Pausable {
  pause(): unknown;
  resume(): unknown;
}

/** Bytes of bodies that are read in one turn of the event loop. Reading and keeping them takes less than a millisecond. */
const TURN_BYTES = 262_144;
/** Clients that go on in one turn: a body then brings 64 KiB at the most, which is what is read from a socket at once. */
const GO_ON = 4;

/** For so long turns may go to new connections alone. The event loop takes one in each of its turns. */
const ARRIVALS_MS = 10;

/**
 * Shares each turn of the event loop between clients that send more than short requests. The loop would read two megabytes of each
 * connection that has as much, one connection after the other, and whoever sends a short request waits for all of them, in each turn that
 * it takes.
 * SECURITY: D248: addresses go on in turns, so many bodies of one address do not keep back those of another.
 */
export class Intake {
  /** By address. */
  readonly #waiting = new RoundRobin<() => void>();
  readonly #afterLoop: (next: () => void) => void;
  readonly #nowMs: () => number;
  #bytes = 0;
  #isLoopAwaited = false;
  #arrived = false;
  #workedAtMs = 0;

  constructor(afterLoop: (next: () => void) => void = setImmediate, nowMs: () => number = () => performance.now()) {
    this.#afterLoop = afterLoop;
    this.#nowMs = nowMs;
  }

  /** A connection arrived in this turn of the event loop. Others come first for a moment, so that they do not wait behind it for long. */
  noteArrival(): void {
    this.#arrived = true;
  }

  /** Notes what arrived of a body. Where this turn has brought enough, the body goes on in a later one. */
  took(bytes: number, body: Pausable, address: string): void {
    this.#bytes += bytes;
    this.#awaitLoop();
    if (this.#bytes <= TURN_BYTES) return;
    body.pause();
    this.later(address, () => body.resume());
  }

  /** Does something for a client in a later turn. */
  later(address: string, work: () => void): void {
    this.#waiting.add(address, work);
    this.#awaitLoop();
  }

  #awaitLoop(): void {
    if (this.#isLoopAwaited) return;
    this.#isLoopAwaited = true;
    this.#afterLoop(() => {
      this.#isLoopAwaited = false;
      this.#bytes = 0;
      const isLeftToArrivals = this.#arrived && this.#nowMs() - this.#workedAtMs < ARRIVALS_MS;
      this.#arrived = false;
      if (isLeftToArrivals) {
        if (!this.#waiting.isEmpty) this.#awaitLoop();
        return;
      }
      this.#workedAtMs = this.#nowMs();
      for (let count = 0; count < GO_ON; count++) this.#waiting.take()?.();
      if (!this.#waiting.isEmpty) this.#awaitLoop();
    });
  }
}
