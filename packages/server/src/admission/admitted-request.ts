import { ServiceError } from '@countersign/contract';
import {
  ArrivingBody,
  type BodyBounds,
  type ByteBudget,
  type BytesHolder,
  type Closable,
  enforceReadDeadline,
  type HeldBytes,
} from './bodies.ts';
import type { ConnectionLimit } from './connection-limit.ts';
import type { Pausable } from './cooperative.ts';
import type { Flow, Sender } from './flow.ts';
import type { KnownCallers, UnverifiedCaller } from './known-callers.ts';
import type { AuthenticatedRequest, FailureLimit, Rates } from './rates.ts';
import type { ReadGate } from './read-gate.ts';
import type { Scheduler } from './scheduler.ts';
import type { Tarpit } from './tarpit.ts';

/** The connection of a request. */
export interface RequestConnection extends Closable {
  readonly destroyed: boolean;
}

/** The mechanisms that requests share. */
export interface RequestParts {
  readonly rates: Rates;
  readonly known: KnownCallers;
  readonly connections: Pick<ConnectionLimit, 'proved'>;
  readonly scheduler: Scheduler;
  readonly reads: ReadGate;
  readonly bodies: BodyBounds;
  readonly tarpit: Tarpit;
  /** Long responses that are being built or that clients have not read. */
  readonly responses: ByteBudget;
}

/** What became known about a request, for its line in the log. SECURITY: ids, statuses and codes, never content. */
export interface RequestFacts {
  organizationId?: string;
  userId?: string;
  credentialId?: string;
  activityId?: string;
  activityStatus?: string;
  decision?: string;
  policyIds?: readonly string[];
  /** The code of the error that was answered. */
  error?: string;
}

/** Measures the stages of a request, for its trace. */
export interface StageTimer {
  run<T>(stage: string, task: () => Promise<T>): Promise<T>;
}

/** Responses up to this length need no reservation while they are built. In bytes. */
export const SHORT_RESPONSE = 65_536;
/** How long a query builds its response before other requests run. */
const SLICE_MS = 1;

/**
 * One request, from its arrival to its response. In this order: `count`, `claim` if the body is long, `body`, `claim`, `turn`, `authenticated`, `endSlice` and
 * `reserve` while a long response is built, `responded`, `release`.
 */
export class AdmittedRequest {
  /** Block of the client's address, see `Sender`. */
  readonly address: string;
  readonly facts: RequestFacts = {};
  /** Present if the trace of this request is recorded. */
  timer: StageTimer | undefined = undefined;
  readonly #parts: RequestParts;
  readonly #connection: RequestConnection;
  #body: ArrivingBody | undefined;
  readonly #sender: Sender;
  #caller: UnverifiedCaller;
  #flow: Flow;
  #isSignIn = false;
  #run = 0;
  #failures: FailureLimit | undefined;
  #response: { readonly held: HeldBytes; bytes: number } | undefined;
  /** Length of the response so far, as its query counts it. */
  #builtLength = 0;
  #sliceSinceMs = performance.now();

  constructor(parts: RequestParts, sender: Sender, connection: RequestConnection) {
    this.#parts = parts;
    this.#sender = sender;
    this.address = sender.block;
    this.#connection = connection;
    this.#caller = { address: sender.block, credential: '' };
    this.#flow = sender.flow;
  }

  /** Whether the client has disconnected. */
  readonly isGone = (): boolean => this.#connection.destroyed;

  /** Counts the request against the rate limit of its address. Throws RATE_LIMIT_EXCEEDED. */
  count(): void {
    this.#parts.rates.countRequest(this.address);
  }

  /**
   * Counts a sign-in without a stamp: by its address, or by an organization that allows it. Throws RATE_LIMIT_EXCEEDED.
   * SECURITY: D342: the service itself stamps it, for everybody. So it stays unproven, and does not use the turns of the organization.
   */
  countSignIn(organizationId?: string): void {
    this.#isSignIn = true;
    if (organizationId === undefined) this.#parts.rates.countSignInFrom(this.address);
    else this.#parts.rates.countSignInTo(organizationId);
  }

  /** Bounds a body that begins to arrive. `fail` is called at most once, if the body is too slow or others need its memory. */
  body(body: Pausable, fail: (error: ServiceError) => void): ArrivingBody {
    this.#body = new ArrivingBody(this.#parts.bodies, this.address, { body, connection: this.#connection, fail }, this.#holder());
    return this.#body;
  }

  /** The delay of the response to a request that was rejected before its body was read; undefined for an immediate one. */
  rejectedUnread(): Promise<void> | undefined {
    return this.#parts.tarpit(this.address);
  }

  /** Names the credential of the request, before its stamp is verified. */
  claim(credential: string): void {
    const { rates, known } = this.#parts;
    this.#caller = { address: this.address, credential };
    this.#failures = rates.limitFailures(this.#caller);
    // SECURITY: D340: a claim counts only if it verified before at this address, and few bad stamps followed.
    const proven = this.#isSignIn || this.#failures.rejection !== undefined ? undefined : known.find(this.#caller)?.flow;
    this.#flow = proven ?? this.#sender.flow;
  }

  /** The error to respond with. Counts failed authentications. */
  failed(error: unknown): unknown {
    return this.#failures === undefined ? error : this.#failures.onError(error);
  }

  /**
   * Waits for a turn at the processor. Rejects with OVERLOADED if the request is shed, and with RATE_LIMIT_EXCEEDED after too many bad
   * stamps: rejections take turns too, so that the clients who cause them do not keep the processor busy.
   */
  async turn(): Promise<void> {
    await this.#parts.scheduler.wait(this.#flow, this.isGone);
    this.#run = this.#parts.scheduler.currentRun;
    this.release();
    if (this.#failures?.rejection !== undefined) throw this.#failures.rejection;
    this.#sliceSinceMs = performance.now();
  }

  /** Yields between two steps of a request with this length in bytes, if it is long. */
  yieldToOthers(bytes: number): Promise<void> | undefined {
    return this.#continued(this.#parts.scheduler.yieldToOthers(this.#flow, bytes, this.isGone));
  }

  /** Reads from the store before the caller is known: in turn if many requests do, and then waits for the processor again. */
  async read<T>(read: () => Promise<T>): Promise<T> {
    const { reads, scheduler } = this.#parts;
    const found = await reads.run(this.#flow, read);
    await this.#continued(scheduler.resume(this.#flow, this.#run, this.isGone));
    return found;
  }

  #continued(turn: Promise<void> | undefined): Promise<void> | undefined {
    if (turn === undefined) {
      this.#run = this.#parts.scheduler.currentRun;
      return undefined;
    }
    return turn.then(() => {
      this.#run = this.#parts.scheduler.currentRun;
    });
  }

  /** The stamp verified. Throws RATE_LIMIT_EXCEEDED beyond the limits of the credential and the organization. */
  authenticated(request: AuthenticatedRequest): void {
    const { rates, known, connections } = this.#parts;
    const { organizationId, userId, credentialId } = request;
    Object.assign(this.facts, { organizationId, userId, credentialId });
    known.add(this.#caller, request, !this.#isSignIn);
    if (!this.#isSignIn) connections.proved(this.#connection, request);
    this.#flow = known.find(this.#caller)?.flow ?? this.#flow;
    rates.countAuthenticated(request);
  }

  /**
   * Called between two steps of a query that may have a long response. Yields to other requests after a slice of time. `characters` is
   * what the step added to the response. Throws OVERLOADED like `reserve`.
   */
  readonly endSlice = (characters = 0): Promise<void> | undefined => {
    this.#builtLength += characters;
    this.reserve(this.#builtLength);
    if (performance.now() - this.#sliceSinceMs < SLICE_MS) return undefined;
    const turn = this.yieldToOthers(Number.POSITIVE_INFINITY) ?? Promise.resolve();
    return turn.then(() => {
      this.#sliceSinceMs = performance.now();
    });
  };

  /**
   * Reserves memory for a response of at least this length, until it is sent. Throws OVERLOADED if the memory is used up.
   * SECURITY: D250: hundreds of connections can ask for a list of megabytes each, and read slowly.
   */
  readonly reserve = (bytes: number): void => {
    if (bytes <= Math.max(SHORT_RESPONSE, this.#response?.bytes ?? 0)) return;
    this.#response ??= { held: this.#holdResponse(), bytes: 0 };
    if (!this.#response.held.tryAdd(bytes - this.#response.bytes)) throw overloaded();
    this.#response.bytes = bytes;
  };

  /** A response was written and not yet sent. Call the returned function when it is sent, or the connection is closed. */
  responded(bytes: number): () => void {
    const { held, bytes: reserved } = this.#response ?? { held: this.#holdResponse(), bytes: 0 };
    this.#response = undefined;
    held.add(bytes - reserved);
    return enforceReadDeadline(this.#connection, bytes, held);
  }

  /** The body and the reserved memory no longer count. Call at the end of every request. */
  release(): void {
    this.#body?.release();
    this.#body = undefined;
    this.#response?.held.release();
    this.#response = undefined;
  }

  /**
   * SECURITY: D176: the address comes from `addressBlock`. With the addresses of sockets, a client with many addresses would hold less at
   * each than others, and all clients of a proxy would count as one.
   */
  #holdResponse(): HeldBytes {
    return this.#parts.responses.hold(this.#holder(), () => void this.#connection.resetAndDestroy());
  }

  /** The user in whose name memory is held, or an empty text for a request that proved nothing. */
  get provenHolder(): string {
    const { isProven, name } = this.#holder();
    return isProven ? name : '';
  }

  /** A proven user holds memory in their own name, also next to strangers at the same address. */
  #holder(): BytesHolder {
    const { isProven, path } = this.#flow;
    return { isProven, name: isProven ? (path[1] as string) : this.address };
  }
}

function overloaded(): ServiceError {
  return new ServiceError(
    'OVERLOADED',
    'Responses that clients have not read yet use up the memory for responses. Read them, then send the same request again.',
  );
}
