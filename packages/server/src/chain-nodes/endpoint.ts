import { JsonError, readWideJson, type WideJsonValue } from '@countersign/strict-json';
import type { z } from 'zod';
import type { HttpExchange } from './http-exchange.ts';
import { EndpointError, type EndpointFailure, failuresOfCalls, NodeRejection } from './node-errors.ts';
import type { NodeProtocol } from './node-protocols.ts';

/** Where an endpoint is, and how the service authenticates there. */
export interface EndpointAddress {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** The state of an endpoint, for operators. */
export interface EndpointHealth {
  readonly host: string;
  /** `unknown` before the first request. */
  readonly status: 'unknown' | 'up' | 'down';
  readonly failure?: EndpointFailure;
}

/** One call: its method, its parameters, and the schema of its result. */
export interface Call<T> {
  readonly method: string;
  readonly params: unknown;
  readonly result: z.ZodType<T>;
  /** What else the schema of the result depends on. Equal calls that differ in it share no result. */
  readonly variant?: string;
  /** A caller chose the parameters freely. */
  readonly isCallers?: true;
  /** The longest response. That of all calls by default. */
  readonly maxBytes?: number;
  /** A response of this length arrived. */
  onBytes?(bytes: number): void;
}

export interface EndpointServices {
  readonly chain: string;
  readonly protocol: NodeProtocol;
  readonly exchange: HttpExchange;
  nowMs(): number;
  /** Counts a request. `outcome` is `ok`, `rejected` or a failure in lower case. */
  onRequest(host: string, outcome: string): void;
  /** The endpoint failed after it responded, or responds again. */
  onChange(host: string, error: EndpointError | undefined): void;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 15_000;
/** An endpoint of another chain needs the operator. */
const WRONG_CHAIN_PAUSE_MS = 30_000;
const LONGEST_RETRY_AFTER_MS = 60_000;
/** How long an endpoint is trusted to have the chain that it showed. */
const IDENTITY_MS = 300_000;

/** JSON-RPC errors that are about the endpoint and not about the call: limit exceeded (EIP-1474), and node behind (Solana). */
const endpointErrorCodes: ReadonlySet<number> = new Set([-32005, -32016, -32029]);

/** The limits of a response. Its bytes are bounded before it is parsed. */
const jsonLimits = { depth: 32, values: 500_000, names: 10_000, longNumbers: 200_000 } as const;

/**
 * One endpoint of a chain.
 * INVARIANT: D762: no call is sent unless the endpoint has shown, since its last failure and in the last minutes, that it has the right chain.
 */
export class Endpoint {
  readonly host: string;
  readonly #address: EndpointAddress;
  readonly #services: EndpointServices;
  readonly #secrets: readonly string[];
  #nextId = 1;
  #identified: Promise<void> | undefined;
  #identifiedAtMs = 0;
  #failures = 0;
  #pausedUntilMs = 0;
  #failure: EndpointFailure | undefined;
  #hasResponded = false;

  constructor(address: EndpointAddress, services: EndpointServices) {
    this.#address = address;
    this.#services = services;
    this.host = address.url.host;
    this.#secrets = secretsOf(address);
  }

  /** How long it must not be called. 0 if it may be called now. */
  pauseMs(): number {
    return Math.max(0, this.#pausedUntilMs - this.#services.nowMs());
  }

  health(): EndpointHealth {
    if (this.#failure !== undefined) return { host: this.host, status: 'down', failure: this.#failure };
    return { host: this.host, status: this.#hasResponded ? 'up' : 'unknown' };
  }

  /** Throws EndpointError, and NodeRejection if the node rejects the call. */
  async call<T>(call: Call<T>): Promise<T> {
    const { onRequest } = this.#services;
    let isIdentified = false;
    try {
      await this.#identify();
      isIdentified = true;
      const value = await this.#exchange(call);
      this.#succeeded();
      onRequest(this.host, 'ok');
      return value;
    } catch (error) {
      if (error instanceof NodeRejection) {
        this.#succeeded();
        onRequest(this.host, 'rejected');
      } else if (error instanceof EndpointError) {
        if (!isIdentified || !isOfCall(error, call)) this.#failed(error);
        onRequest(this.host, error.failure.toLowerCase());
      }
      throw error;
    }
  }

  /** Concurrent calls share one check. */
  #identify(): Promise<void> {
    const nowMs = this.#services.nowMs();
    if (this.#identified === undefined || nowMs - this.#identifiedAtMs > IDENTITY_MS) {
      this.#identifiedAtMs = nowMs;
      this.#identified = this.#checkChain();
    }
    return this.#identified;
  }

  async #checkChain(): Promise<void> {
    const { chain, protocol } = this.#services;
    const { method, params, chain: result } = protocol.identity;
    const found = await this.#exchange({ method, params, result }).catch((error: unknown) => {
      if (!(error instanceof NodeRejection)) throw error;
      throw new EndpointError('INVALID_RESPONSE', `it rejected ${method}: ${error.message}`);
    });
    if (found !== chain) throw new EndpointError('WRONG_CHAIN', `it is a node of ${found}, not of ${chain}`);
  }

  async #exchange<T>({ method, params, result, maxBytes, onBytes }: Call<T>): Promise<T> {
    const { exchange, protocol } = this.#services;
    const { url, headers } = this.#address;
    const target = new URL(url);
    const path = protocol.wire.path(method);
    if (path !== '') target.pathname = target.pathname.replace(/\/$/, '') + path;
    const id = this.#nextId++;
    const response = await exchange.post(target, headers, JSON.stringify(protocol.wire.body(method, params, id)), maxBytes);
    onBytes?.(response.body.length);
    const read = result.safeParse(this.#resultOf(readBody(response), id));
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    throw new EndpointError('INVALID_RESULT', `its result of ${method} is wrong at ${issue?.path.join('.') || 'the top'}`);
  }

  #resultOf(response: WideJsonValue, id: number): WideJsonValue {
    try {
      return this.#services.protocol.wire.result(response, id);
    } catch (error) {
      if (!(error instanceof NodeRejection)) throw error;
      const rejection = error.without(this.#secrets);
      if (!endpointErrorCodes.has(rejection.code)) throw rejection;
      throw new EndpointError('RATE_LIMITED', `it rejects calls for now (${rejection.code}): ${rejection.message}`, {
        cause: rejection,
      });
    }
  }

  #succeeded(): void {
    const wasDown = this.#failure !== undefined;
    this.#failures = 0;
    this.#pausedUntilMs = 0;
    this.#failure = undefined;
    this.#hasResponded = true;
    if (wasDown) this.#services.onChange(this.host, undefined);
  }

  #failed(error: EndpointError): void {
    const wasDown = this.#failure !== undefined;
    this.#identified = undefined;
    this.#failure = error.failure;
    // Concurrent calls that fail together count once.
    if (this.pauseMs() > 0) return;
    this.#failures += 1;
    const backOff = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#failures - 1));
    const pauseMs = error.failure === 'WRONG_CHAIN' ? WRONG_CHAIN_PAUSE_MS : Math.max(backOff, error.retryAfterMs ?? 0);
    this.#pausedUntilMs = this.#services.nowMs() + pauseMs;
    if (!wasDown) this.#services.onChange(this.host, error);
  }
}

/**
 * Whether the call may be the reason of a failure, and not the endpoint.
 * SECURITY: D940: a caller can choose parameters that take a node longer than the timeout, or that a provider limits.
 */
function isOfCall({ failure }: EndpointError, { isCallers }: Pick<Call<unknown>, 'isCallers'>): boolean {
  return isCallers === true || failuresOfCalls.has(failure);
}

/** A shorter part of a path, such as `v2` or `rpc`, is no secret. */
const SHORTEST_SECRET = 8;

/** What must not be repeated of an address: the parts of its path and query that may be keys, and its credentials. The longest first. */
function secretsOf({ url, headers }: EndpointAddress): readonly string[] {
  const values = [
    ...url.pathname.split('/'),
    ...url.searchParams.values(),
    url.password,
    ...Object.values(headers).flatMap((value) => [value, ...value.split(' ')]),
  ];
  return [...new Set(values)].filter(({ length }) => length >= SHORTEST_SECRET).sort((a, b) => b.length - a.length);
}

/** Some nodes send JSON-RPC errors with a status of 4xx or 5xx, so the body is read unless the status is about the connection. */
function readBody({ status, retryAfter, body }: Awaited<ReturnType<HttpExchange['post']>>): WideJsonValue {
  if (status === 429 || status === 503) {
    const retryAfterMs = Math.min(LONGEST_RETRY_AFTER_MS, /^\d{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) * 1000 : 0);
    throw new EndpointError('RATE_LIMITED', `it responded with ${status}`, { retryAfterMs });
  }
  if (status >= 300 && status < 400)
    throw new EndpointError('HTTP_STATUS', `it responded with ${status}, and redirects are not followed`);
  if (status === 401 || status === 403) throw new EndpointError('HTTP_STATUS', `it rejects the credential (${status})`);
  try {
    return readWideJson(body, jsonLimits);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    if (status < 200 || status >= 300) throw new EndpointError('HTTP_STATUS', `it responded with ${status}`);
    throw new EndpointError('INVALID_RESPONSE', `its response is not JSON: ${error.message}`);
  }
}
