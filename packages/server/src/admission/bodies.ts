import { ServiceError } from '@countersign/contract';
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

  constructor(bounds: BodyBounds, address: string, source: BodySource, holder: BytesHolder) {
    this.#bounds = bounds;
    this.#address = address;
    this.#source = source;
    this.#watched = bounds.slow.watch(() =>
      source.fail(
        new ServiceError('REQUEST_TIMEOUT', 'The body arrives too slowly. Send the request again on a better connection.'),
      ),
    );
    this.#held = bounds.unfinished.hold(holder, () => {
      if (this.#isComplete) source.connection.resetAndDestroy();
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
const ARRIVAL_GRACE_MS = 5_000;
/** Slowest rate of a body, in bytes per second: far below any usable link. */
const MIN_ARRIVAL_RATE = 1_024;
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
      if (ageMs > ARRIVAL_GRACE_MS && body.receivedBytes < (ageMs / 1000) * MIN_ARRIVAL_RATE) body.giveUp();
    }
  }
}

/** Time that a client has for any response. */
const READ_GRACE_MS = 15_000;
/** Bytes per millisecond that a client must read in addition. */
const MIN_READ_RATE = 32;

/** Time that a client has to read this many bytes. */
export function readTimeMs(bytes: number): number {
  return READ_GRACE_MS + bytes / MIN_READ_RATE;
}

/** The connection that a response is written to. */
export interface Closable {
  /** SECURITY: D344: a plain close leaves unread responses to the operating system, which keeps them. */
  resetAndDestroy(): unknown;
}

/** Bytes of unread responses by connection. Pipelined responses are sent one after the other. */
const unreadBytes = new WeakMap<Closable, number>();

/**
 * Closes the connection of a client that does not read its response in time. `held` counts the response. Call the returned function when
 * the operating system has the response, or the connection is closed.
 * SECURITY: D168: a response stays in memory until the operating system takes it, which it does not if the client never reads.
 */
export function enforceReadDeadline(connection: Closable, bytes: number, held: HeldBytes): () => void {
  const unread = (unreadBytes.get(connection) ?? 0) + bytes;
  unreadBytes.set(connection, unread);
  const deadline = setTimeout(() => void connection.resetAndDestroy(), readTimeMs(unread)).unref();
  return () => {
    clearTimeout(deadline);
    unreadBytes.set(connection, (unreadBytes.get(connection) ?? bytes) - bytes);
    held.release();
  };
}

/** Bytes in memory because of a client: an unfinished body, or a response that is being built or that the client has not read. */
export interface HeldBytes {
  /** Adds bytes, or removes them if negative. Makes room if the memory is used up. */
  add(bytes: number): void;
  /** Adds bytes. Returns false if the memory is used up and no other address holds more than this one would, or after `giveUp`. */
  tryAdd(bytes: number): boolean;
  release(): void;
}

/** Whose memory it is: that of a user whose credential is known at the address of the request, or else of that address. */
export interface BytesHolder {
  readonly isProven: boolean;
  readonly name: string;
}

/** Bounds the memory that clients occupy. */
export interface ByteBudget {
  /** Starts to count bytes of a client. `giveUp` is called at most once, if the memory is needed. */
  hold(holder: BytesHolder, giveUp: () => void): HeldBytes;
  /** The sum. */
  held(): number;
}

interface Holding {
  bytes: number;
  readonly giveUp: () => void;
}

interface Holder extends BytesHolder {
  bytes: number;
  /** Oldest first. */
  readonly holdings: Set<Holding>;
}

/** Part of the memory that unproven clients keep, even if others need it. */
const UNPROVEN_SHARE = 0.2;

/**
 * SECURITY: D166: all clients share the memory. If it is used up, the one that holds most of it loses its oldest bytes, so that one client
 * cannot cause rejections of another.
 * SECURITY: D432: unproven clients lose first, unless they hold little together. Otherwise a thousand addresses, each of which holds less
 * than a tenant, would make the tenant lose.
 */
export function createByteBudget(maxBytes: number, onFull: () => void = () => {}): ByteBudget {
  const holders = { proven: new Map<string, Holder>(), unproven: new Map<string, Holder>() };
  const total = { proven: 0, unproven: 0 };
  const classOf = ({ isProven }: BytesHolder) => (isProven ? 'proven' : 'unproven');
  const all = () => total.proven + total.unproven;

  /** Who gives up bytes if unproven clients hold this many. */
  function largest(unproven: number): Holder | undefined {
    const among = unproven > maxBytes * UNPROVEN_SHARE || total.proven === 0 ? 'unproven' : 'proven';
    let found: Holder | undefined;
    for (const holder of holders[among].values()) if (holder.bytes > (found?.bytes ?? 0)) found = holder;
    return found;
  }

  function evict(holder: Holder): void {
    const [oldest] = holder.holdings;
    if (oldest === undefined) return;
    holder.holdings.delete(oldest);
    holder.bytes -= oldest.bytes;
    total[classOf(holder)] -= oldest.bytes;
    onFull();
    oldest.giveUp();
  }

  return {
    held: all,
    hold({ name, isProven }, giveUp) {
      const kind = classOf({ name, isProven });
      const holder: Holder = holders[kind].get(name) ?? { name, isProven, bytes: 0, holdings: new Set() };
      holders[kind].set(name, holder);
      const holding: Holding = { bytes: 0, giveUp };
      holder.holdings.add(holding);
      function count(bytes: number): void {
        if (!holder.holdings.has(holding)) return;
        holding.bytes += bytes;
        holder.bytes += bytes;
        total[kind] += bytes;
      }
      return {
        add(bytes) {
          count(bytes);
          while (all() > maxBytes) {
            const loser = largest(total.unproven);
            if (loser === undefined) return;
            evict(loser);
          }
        },
        tryAdd(bytes) {
          if (!holder.holdings.has(holding)) return false;
          while (all() + bytes > maxBytes) {
            const other = largest(total.unproven + (isProven ? 0 : bytes));
            const isOther = other !== undefined && ((isProven && !other.isProven) || other.bytes > holder.bytes + bytes);
            if (!isOther) {
              onFull();
              return false;
            }
            evict(other);
          }
          count(bytes);
          return true;
        },
        release() {
          if (holder.holdings.delete(holding)) {
            holder.bytes -= holding.bytes;
            total[kind] -= holding.bytes;
          }
          if (holder.holdings.size === 0 && holders[kind].get(name) === holder) holders[kind].delete(name);
        },
      };
    },
  };
}
