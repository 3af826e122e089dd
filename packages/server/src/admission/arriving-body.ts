import { ServiceError } from '@countersign/contract';
import type { ByteBudget, HeldBytes } from './byte-budget.ts';
import type { Pausable, ReadThrottle } from './read-throttle.ts';
import type { SlowBodies, WatchedBody } from './slow-bodies.ts';
import type { Closable } from './slow-reader-timeout.ts';

/** Bounds of the bodies that are arriving. */
export interface BodyBounds {
  readonly unfinished: ByteBudget;
  readonly slow: SlowBodies;
  readonly throttle: ReadThrottle;
}

/** The source of a body, and its connection. */
export interface BodySource {
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
    this.#bounds.throttle.received(bytes, this.#source.body, this.#address);
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
