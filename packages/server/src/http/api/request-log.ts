import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import type { RequestFacts } from '../../admission/index.ts';
import type { RequestTrace } from '../../telemetry/telemetry.ts';
import { readTraceParent } from '../../wire/trace-parent.ts';

/** The ids of a request: its own, and its place in a distributed trace (W3C Trace Context). */
export interface RequestIds {
  readonly requestId: string;
  readonly traceId?: string;
  /** The headers of its response. */
  readonly headers: Readonly<Record<string, string>>;
}

/** SECURITY: ids of clients are written to logs and to response headers. */
const REQUEST_ID = /^[\w.:+/=@-]{1,128}$/;

/**
 * Takes the ids that a client or a proxy chose, if they are well formed. Otherwise the request gets a new id, and no trace unless the
 * service records its own.
 */
export function requestIds({ 'x-request-id': given, traceparent }: IncomingHttpHeaders, trace?: RequestTrace): RequestIds {
  const requestId = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
  const { traceId, traceparent: own } = trace ?? continued(traceparent);
  if (traceId === undefined || own === undefined) return { requestId, headers: { 'X-Request-Id': requestId } };
  return { requestId, traceId, headers: { 'X-Request-Id': requestId, traceparent: own } };
}

/** The trace of the client, with a new id for our part of it. */
function continued(header: string | string[] | undefined): { readonly traceId?: string; readonly traceparent?: string } {
  const parent = readTraceParent(header);
  if (parent === undefined) return {};
  const { traceId, flags } = parent;
  return { traceId, traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-${flags}` };
}

/** A request that was answered. */
export interface AnsweredRequest {
  readonly ids: RequestIds;
  readonly operation: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly address: string | undefined;
  readonly facts: RequestFacts;
}

/** Lines in a second for requests without a proven credential. */
const UNPROVEN_PER_SECOND = 50;
const SECOND_MS = 1_000;

/**
 * Writes one line for each request at level info.
 * SECURITY: D557: requests of strangers get a bounded number of lines, so that a flood does not fill the disk. The rest is counted.
 */
export function createRequestLog(log: Pick<Logger, 'info'>, now: () => number = performance.now.bind(performance)) {
  let second = 0;
  let written = 0;
  let omitted = 0;

  function isOmitted(): boolean {
    const current = Math.floor(now() / SECOND_MS);
    if (current !== second) {
      if (omitted > 0) log.info({ requests: omitted }, 'requests without a proven credential, not listed');
      second = current;
      written = 0;
      omitted = 0;
    }
    if (written < UNPROVEN_PER_SECOND) {
      written++;
      return false;
    }
    omitted++;
    return true;
  }

  return ({ ids, operation, status, milliseconds, address, facts }: AnsweredRequest): void => {
    if (facts.credentialId === undefined && isOmitted()) return;
    const { requestId, traceId } = ids;
    const durationMs = Math.round(milliseconds * 1_000) / 1_000;
    log.info({ requestId, traceId, operation, status, durationMs, address, ...facts }, 'request');
  };
}
