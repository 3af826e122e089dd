import { RoundRobin } from './round-robin.ts';

/** A body whose reading can pause. */
export interface Pausable {
  pause(): unknown;
  resume(): unknown;
}

/** Bytes of bodies that one turn of the event loop reads. That takes less than a millisecond. */
const TURN_BYTES = 262_144;
/** Bodies that resume in one turn. Each brings at most 64 KiB, the size of one read from a socket. */
const RESUMED = 4;

/**
 * Bounds the bytes of bodies that are read in one turn of the event loop. Without it the loop reads two megabytes of each connection that
 * has as many, and short requests wait for all of them.
 * SECURITY: D248: addresses take turns, so that many bodies of one address do not delay the bodies of another.
 */
export class ReadThrottle {
  readonly #paused = new RoundRobin<Pausable>();
  readonly #afterLoop: (next: () => void) => void;
  #bytes = 0;
  #isScheduled = false;

  constructor(afterLoop: (next: () => void) => void = setImmediate) {
    this.#afterLoop = afterLoop;
  }

  /** Counts a chunk of a body. Pauses the body if this turn has read enough. */
  received(bytes: number, body: Pausable, address: string): void {
    this.#bytes += bytes;
    this.#schedule();
    if (this.#bytes <= TURN_BYTES) return;
    body.pause();
    this.#paused.add(address, body);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#afterLoop(() => {
      this.#isScheduled = false;
      this.#bytes = 0;
      for (let count = 0; count < RESUMED; count++) this.#paused.take()?.resume();
      if (!this.#paused.isEmpty) this.#schedule();
    });
  }
}
