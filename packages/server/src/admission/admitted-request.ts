import type { ServiceError } from '@countersign/contract';
import { ArrivingBody, type BodyBounds } from './arriving-body.ts';
import type { ByteBudget } from './byte-budget.ts';
import type { AuthenticatedRequest, FailureLimit, Rates, UnverifiedCaller } from './rates.ts';
import type { Pausable } from './read-throttle.ts';
import type { Scheduler } from './scheduler.ts';
import { type Closable, enforceReadDeadline } from './slow-reader-timeout.ts';
import type { Tarpit } from './tarpit.ts';

/** The connection of a request. */
export interface RequestConnection extends Closable {
  readonly destroyed: boolean;
}

/** The mechanisms that requests share. */
export interface RequestParts {
  readonly rates: Rates;
  readonly scheduler: Scheduler;
  readonly bodies: BodyBounds;
  readonly tarpit: Tarpit;
  readonly unread: ByteBudget;
}

/**
 * One request, from its arrival to its response. In this order: `count`, `body`, `claim`, `turn`, `authenticated`, `responded`.
 */
export class AdmittedRequest {
  /** Block of the client's address, see `addressBlock`. */
  readonly address: string;
  readonly #parts: RequestParts;
  readonly #connection: RequestConnection;
  #body: ArrivingBody | undefined;
  #caller: UnverifiedCaller;
  #failures: FailureLimit | undefined;

  constructor(parts: RequestParts, address: string, connection: RequestConnection) {
    this.#parts = parts;
    this.address = address;
    this.#connection = connection;
    this.#caller = { address, credential: '' };
  }

  /** Whether the client has disconnected. */
  readonly isGone = (): boolean => this.#connection.destroyed;

  /** Counts the request against the rate limit of its address. Throws RATE_LIMIT_EXCEEDED. */
  count(): void {
    this.#parts.rates.countRequest(this.address);
  }

  /** Counts a sign-in without a stamp: by its address, or by an organization that allows it. Throws RATE_LIMIT_EXCEEDED. */
  countSignIn(organizationId?: string): void {
    if (organizationId === undefined) this.#parts.rates.countSignInFrom(this.address);
    else this.#parts.rates.countSignInTo(organizationId);
  }

  /** Bounds a body that begins to arrive. `fail` is called at most once, if the body is too slow or others need its memory. */
  body(body: Pausable, fail: (error: ServiceError) => void): ArrivingBody {
    this.#body = new ArrivingBody(this.#parts.bodies, this.address, { body, connection: this.#connection, fail });
    return this.#body;
  }

  /** The delay of the response to a request that was rejected before its body was read; undefined for an immediate one. */
  rejectedUnread(): Promise<void> | undefined {
    return this.#parts.tarpit(this.address);
  }

  /** Names the credential of the request, before its stamp is verified. Throws RATE_LIMIT_EXCEEDED after too many bad stamps. */
  claim(credential: string): void {
    this.#caller = { address: this.address, credential };
    this.#failures = this.#parts.rates.limitFailures(this.#caller);
  }

  /** The error to respond with. Counts failed authentications. */
  failed(error: unknown): unknown {
    return this.#failures === undefined ? error : this.#failures.onError(error);
  }

  /** Waits for a turn at the processor. Rejects with OVERLOADED if the request is shed. */
  async turn(): Promise<void> {
    await this.#parts.scheduler.wait(this.#parts.rates.flowOf(this.#caller), this.isGone);
    this.release();
  }

  /** Yields between two steps of a request with this length in bytes, if it is long. */
  yieldToOthers(bytes: number): Promise<void> | undefined {
    return this.#parts.scheduler.yieldToOthers(() => this.#parts.rates.flowOf(this.#caller), bytes, this.isGone);
  }

  /** The stamp verified. Throws RATE_LIMIT_EXCEEDED beyond the limits of the credential and the organization. */
  authenticated(request: AuthenticatedRequest): void {
    this.#parts.rates.countAuthenticated(this.#caller, request);
  }

  /** The body no longer counts. Call at the end of every request. */
  release(): void {
    this.#body?.release();
    this.#body = undefined;
  }

  /** A long response was written and not yet sent. Call the returned function when it is sent, or the connection is closed. */
  responded(bytes: number): () => void {
    return enforceReadDeadline(this.#connection, this.address, bytes, this.#parts.unread);
  }
}
