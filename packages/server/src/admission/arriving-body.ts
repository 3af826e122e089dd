import { ServiceError } from '@countersign/contract';
import type { ByteBudget, Closable, HeldBytes } from './bodies.ts';
import type { Pausable, ReadThrottle } from './cooperative.ts';

/** Bounds of the bodies that are arriving. */
export interface BodyBounds {
  readonly unfinished: ByteBudget;
  readonly slow: SlowBodies;
  readonly throttle: ReadThrottle;
}

/** The source of a body, and its connection. */
interface BodySource {
  readonly body: Pausable;
  readonly connection: Closable;
  /** Stops reading and rejects the request. */
  fail(error: ServiceError): void;
}

/** Memory of a chunk in addition to its bytes. */
const CHUNK_BYTES = 256;

/** A body that is arriving, or waits for its turn. Its bytes count until then. */
export class ArrivingBody {
  readonly #bounds: BodyBounds;
  readonly #address: string;
  readonly #source: BodySource;
  readonly #held: HeldBytes;
  readonly #watched: WatchedBody;
  #isComplete = false;

  constructor(bounds: BodyBounds, address: string, source: BodySource) {
    this.#bounds = bounds;
    this.#address = address;
    this.#source = source;
    this.#watched = bounds.slow.watch(() =>
      source.fail(
        new ServiceError('REQUEST_TIMEOUT', 'The body arrives too slowly. Send the request again on a better connection.'),
      ),
    );
    this.#held = bounds.unfinished.hold(address, () => {
      if (this.#isComplete) source.connection.destroy();
      else
        source.fail(
          new ServiceError('OVERLOADED', 'Too many bodies are arriving at the same time. Send the same request again.'),
        );
    });
  }

  received(bytes: number): void {
    this.#watched.receivedBytes += bytes;
    this.#held.add(bytes + CHUNK_BYTES);
    // SECURITY: D248: a chunk may hold a single byte, and takes as long as one of hundreds.
    this.#bounds.throttle.received(bytes + CHUNK_BYTES, this.#source.body, this.#address);
  }

  complete(): void {
    this.#isComplete = true;
    this.#bounds.slow.done(this.#watched);
  }

  /** Its bytes no longer count: the request has its turn, or failed. */
  release(): void {
    this.#bounds.slow.done(this.#watched);
    this.#held.release();
  }
}

/** A body that is arriving. */
interface WatchedBody {
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
