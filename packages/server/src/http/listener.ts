import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorCode, errorCodes, RELAY_HEADER, ServiceError } from '@countersign/contract';
import type { Logger } from 'pino';
import { addressBlock, type ByteBudget, type LateRefusals, takenInTime } from '../admission/index.ts';
import type { StampHeaders } from '../auth/stamp.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { Metrics } from '../statistics/metrics.ts';
import { StoreUnavailable } from '../store/store-faults.ts';
import { toJson, WrittenJson } from '../wire/written-json.ts';
import { bodyBound } from './body-bound.ts';
import type { Addressed, ClientAddress } from './client-address.ts';
import { type ClientHint, hintPlainly, withHint } from './client-hint.ts';
import type { Cors } from './cors.ts';
import type { Operate } from './operations.ts';
import type { PlainAnswer } from './plain-answer.ts';
import type { AnswerPlain } from './plain-connections.ts';
import type { PlainHead, PlainHeaders } from './plain-head.ts';
import { type BodyLimits, holdBody, type ReadBody, readBody } from './read-body.ts';
import type { Route } from './routes.ts';
import type { AnswerRelay } from './sign-in-relay.ts';

export interface ListenerServices {
  readonly routes: ReadonlyMap<string, Route>;
  readonly dialects: readonly Dialect[];
  readonly operate: Operate;
  /** What people without a credential may ask for to sign in, by path. */
  readonly relays: ReadonlyMap<string, AnswerRelay>;
  readonly clientAddress: (request: Addressed) => ClientAddress;
  /** Told of every request before its body is read, with the block of its address. Throws where there are too many. */
  arrive(address: string): void;
  readonly cors: Cors;
  readonly clientHint: ClientHint;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly bodies: BodyLimits;
  /** Told of every request that was refused before its body was read. */
  readonly refusedUnread: LateRefusals;
  /** Bytes of answers that clients have not taken yet. */
  readonly answers: ByteBudget;
  /** Pages that need no stamp: health, readiness, metrics, the OpenAPI document, the development mailbox. */
  readonly pages: ReadonlyMap<string, AnswerPage>;
  /** Pages whose paths are too many to list: those of the log. Undefined for a path of another kind. */
  pageUnder(path: string): AnswerPage | undefined;
  isDraining(): boolean;
}

const relayHeader = RELAY_HEADER.toLowerCase();

/** The system takes shorter answers from the process at once. */
const SHORT_ANSWER = 65_536;

/** A plain page for operators. */
export interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Uint8Array;
  /** Headers in addition to the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type AnswerPage = (request: IncomingMessage) => Promise<Page>;

/** The two ways in: whatever node:http reads, and plain requests straight from their sockets. Both answer every request. */
export interface Listener {
  listen(request: IncomingMessage, response: ServerResponse): Promise<void>;
  readonly answerPlain: AnswerPlain;
}

/** What became of an operation. */
interface Outcome {
  readonly status: number;
  readonly body: unknown;
  /** Seconds. */
  readonly retryAfter?: number;
}

/** Answers HTTP requests. Never throws. */
export function createListener(services: ListenerServices): Listener {
  const { routes, operate, relays, cors, metrics, log, pages } = services;
  return { listen, answerPlain: hintPlainly(answerPlain, services.clientHint) };

  function answerPlain({ path, headers }: PlainHead, bytes: Buffer, socket: Socket): Promise<PlainAnswer> | undefined {
    const route = routes.get(path);
    // A server that stops says so in its answers, which node:http writes. It refuses what is too long, too.
    if (route === undefined || services.isDraining()) return undefined;
    if (bytes.length > bodyBound(route, headers, services.bodies.maxBodyBytes)) return undefined;
    return operatePlainly(route, headers, bytes, socket);
  }

  async function operatePlainly(route: Route, headers: PlainHeaders, bytes: Buffer, socket: Socket): Promise<PlainAnswer> {
    const startedAt = performance.now();
    const { path } = route.definition;
    const client = services.clientAddress({ headers, socket });
    const block = addressBlock(client);
    let begun: (() => void) | undefined;
    let outcome: Outcome;
    try {
      services.arrive(block);
      begun = holdBody(services.bodies, bytes.length, block, socket);
      const waiting = { isGone: () => socket.destroyed, begun };
      outcome = { status: 200, body: await operate(route, headers, bytes, () => client, waiting) };
    } catch (error) {
      outcome = failureOf(error, path, route);
    }
    begun?.();
    const { status, body, retryAfter } = outcome;
    metrics.request(path, status, (performance.now() - startedAt) / 1000);
    const json = toJson(body);
    const answer: PlainAnswer = { status, json, retryAfter: status === 503 ? 1 : retryAfter };
    if (json.length <= SHORT_ANSWER) return answer;
    return { ...answer, taken: takenInTime(socket, block, json.length, services.answers) };
  }

  async function listen(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = normalPath(request.url ?? '/');
    const route = routes.get(path);
    cors.apply(request, response);
    try {
      if (request.method === 'OPTIONS')
        return cors.answerPreflight(response, route !== undefined || relays.has(path) || whyNotOffered(path) !== undefined);
      const page = pages.get(path) ?? services.pageUnder(path);
      if (page !== undefined) return await answerPage(request, response, page);
      await answerOperation(request, response, path, route);
    } catch (error) {
      const known = toServiceError(error);
      send(response, errorCodes[known.code].status, dialectOf(path).showError(known));
    }
  }

  async function answerOperation(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    route: Route | undefined,
  ): Promise<void> {
    const startedAt = performance.now();
    const relay = relays.get(path);
    let read: ReadBody | undefined;
    const { status, body, retryAfter } = await outcomeOf(path, route, async () => {
      const reason = route === undefined ? whyNotOffered(path) : undefined;
      if (route === undefined && relay === undefined && reason === undefined)
        throw new ServiceError(
          'PATH_NOT_FOUND',
          'No operation at this path. The paths are in /openapi.json and in the reference.',
        );
      if (request.method !== 'POST') {
        response.setHeader('Allow', 'POST, OPTIONS');
        throw new ServiceError('METHOD_NOT_ALLOWED', 'Every operation is a POST.');
      }
      const client = services.clientAddress(request);
      const block = addressBlock(client);
      services.arrive(block);
      const bound = bodyBound(route, request.headers as StampHeaders, services.bodies.maxBodyBytes);
      read = await readBody(request, { ...services.bodies, maxBodyBytes: bound }, block);
      const { bytes, begun } = read;
      const waiting = { isGone: () => request.socket.destroyed, begun };
      if (relay !== undefined)
        return relay({ organization: request.headers[relayHeader], bytes, clientAddress: client, waiting });
      if (route === undefined) throw new ServiceError('NOT_OFFERED', `This operation is not offered by this server: ${reason}`);
      return operate(route, request.headers as StampHeaders, bytes, () => client, waiting);
    });
    read?.begun();
    if (read === undefined) {
      // What is left of a refused body is not read: the connection cannot be used again.
      response.setHeader('Connection', 'close');
      const late = services.refusedUnread(addressBlock(services.clientAddress(request)));
      if (late !== undefined) {
        // SECURITY: D251: otherwise a body that began to arrive would be read on meanwhile, as fast as it comes.
        request.pause();
        await late;
      }
    }
    send(response, status, body, retryAfter);
    metrics.request(
      route?.definition.path ?? (relay === undefined ? 'unknown' : 'sign_in'),
      status,
      (performance.now() - startedAt) / 1000,
    );
  }

  /** Never rejects: a failure is an outcome too. */
  async function outcomeOf(path: string, route: Route | undefined, work: () => Promise<unknown>): Promise<Outcome> {
    try {
      return { status: 200, body: await work() };
    } catch (error) {
      return failureOf(error, path, route);
    }
  }

  function failureOf(error: unknown, path: string, route: Route | undefined): Outcome {
    const known = toServiceError(error);
    log.debug({ path: route && path, code: known.code, reason: known.reason }, 'request refused');
    const { retryAtMs } = known;
    return {
      status: errorCodes[known.code].status,
      body: (route?.dialect ?? dialectOf(path)).showError(known),
      ...(retryAtMs !== undefined && { retryAfter: Math.max(1, Math.ceil((retryAtMs - Date.now()) / 1000)) }),
    };
  }

  function send(response: ServerResponse, status: number, body: unknown, retryAfter?: number): void {
    const { headers: asked, url = '/' } = response.req;
    const hint = services.clientHint(asked['x-client-version'], normalPath(url));
    const json = toJson(status < 400 ? body : withHint(body, hint));
    const parts = json instanceof WrittenJson ? json.parts : [Buffer.from(json)];
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    const headers: Record<string, string | number> = {
      'Content-Type': 'application/json',
      'Content-Length': length,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    };
    const after = status === 503 ? 1 : retryAfter;
    if (after !== undefined) headers['Retry-After'] = after;
    if (services.isDraining()) headers.Connection = 'close';
    response.writeHead(status, headers);
    // Not joined: what is kept would be copied for each answer, and the collector counts such memory more than any other.
    response.cork();
    for (const part of parts) response.write(part);
    response.end();
    response.uncork();
    requireTaken(response, length);
  }

  /** A long answer has to be read by its client. */
  function requireTaken(response: ServerResponse, length: number): void {
    const { socket, req } = response;
    if (length > SHORT_ANSWER && socket !== null && !response.writableFinished)
      response.once('close', takenInTime(socket, addressBlock(services.clientAddress(req)), length, services.answers));
  }

  async function answerPage(request: IncomingMessage, response: ServerResponse, page: AnswerPage): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      throw new ServiceError('METHOD_NOT_ALLOWED', 'Read this page with GET.');
    }
    const { status, contentType, body, headers } = await page(request);
    response.writeHead(status, {
      // RFC 9110 section 15.4.5: an answer that says "as before" describes no content of its own.
      ...(status !== 304 && { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(body) }),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...headers,
    });
    if (request.method === 'HEAD') return void response.end();
    response.end(body);
    requireTaken(response, body.length);
  }

  function dialectOf(path: string): Dialect {
    const byLength = [...services.dialects].sort((a, b) => b.basePath.length - a.basePath.length);
    return byLength.find((dialect) => path.startsWith(dialect.basePath)) as Dialect;
  }

  function whyNotOffered(path: string): string | undefined {
    const { basePath, notOffered } = dialectOf(path);
    return notOffered.get(path.slice(basePath.length));
  }

  /** Returns an expected failure unchanged. Anything else is a bug, logged in full under an id; the caller gets only the id. */
  function toServiceError(error: unknown): ServiceError {
    if (error instanceof ServiceError) {
      if (error.code === 'INTERNAL' || error.code === 'UNAVAILABLE') log.error({ err: error.cause ?? error }, error.message);
      return error;
    }
    if (error instanceof StoreUnavailable) {
      log.error({ err: error }, 'the database does not respond');
      return new ServiceError(
        'UNAVAILABLE',
        'The database does not respond at the moment. Send the same request again: it is executed at most once.',
      );
    }
    const id = randomUUID();
    log.error({ err: error, id }, 'unexpected failure');
    return new ServiceError(
      'INTERNAL',
      `internal server error (${id}). Nothing was acknowledged. The operator can find the cause in the log under this id.`,
    );
  }
}

/** The path without its query. Repeated slashes count as one, because some clients join a base URL that ends in a slash. */
function normalPath(url: string): string {
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  return path.includes('//') ? path.replace(/\/{2,}/g, '/') : path;
}

/** The response to bytes that are not an HTTP request, or to a request that did not arrive in time. */
export function rawErrorResponse(error: { readonly code?: string | undefined }): string {
  const code: ErrorCode = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'REQUEST_TIMEOUT' : 'REQUEST_INVALID';
  const { status, grpc, title } = errorCodes[code];
  const body = JSON.stringify({ code: grpc, message: `${title}.`, details: [], errorCode: code });
  const reason = code === 'REQUEST_TIMEOUT' ? 'Request Timeout' : 'Bad Request';
  return `HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
