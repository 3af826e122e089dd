import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '@countersign/contract';
import type { Logger } from 'pino';
import type { AuditSink } from './audit-sink.ts';

/** A request that was answered: ids, statuses and codes. SECURITY: never content. */
export interface AuditedRequest {
  readonly requestId: string;
  readonly traceId?: string | undefined;
  readonly operation: string;
  readonly status: number;
  readonly durationMs: number;
  readonly address?: string | undefined;
  readonly credentialId?: string | undefined;
  readonly policyIds?: readonly string[] | undefined;
}

/** Sends a record of each request to a sink outside of the service. */
export interface AuditTrail {
  /** Throws UNAVAILABLE if records are required and the sink does not take any. Call before a request is executed. */
  requireAvailable(): void;
  /** Why requests are rejected. Undefined if they are not. */
  problem(): string | undefined;
  /**
   * Records a request. If records are required, the promise resolves when the sink has taken the record, and rejects with UNAVAILABLE
   * otherwise: then the response must not be sent. Undefined if the response need not wait.
   */
  record(request: AuditedRequest): Promise<void> | undefined;
  /** Sends what is queued, for a few seconds at most, and closes the sink. */
  close(): Promise<void>;
}

export interface AuditOptions {
  readonly sink: AuditSink;
  /** Whether requests are answered only after the sink has taken their record. */
  readonly required: boolean;
  readonly version: string;
  readonly log: Pick<Logger, 'error' | 'warn'>;
  /** Counts records by outcome. */
  onRecords(outcome: 'taken' | 'failed' | 'dropped', count: number): void;
  readonly nowMs?: () => number;
}

/** Records that wait for the sink. Further ones are dropped, or their requests are rejected if records are required. */
const MAX_QUEUED = 10_000;
/** Records per write. */
const BATCH = 500;
/** Delay before the next attempt after a failed write. */
const RETRY_MS = 1_000;
/** How long a request waits for the sink. */
const WAIT_MS = 5_000;
/** How long `close` waits for the sink. */
const CLOSE_MS = 5_000;
/** Interval at which a failing sink is logged. */
const REPEAT_MS = 60_000;
/** Policies that a record names. It says how many there were. */
const MAX_POLICIES = 32;
/** Records in a second for requests without a proven credential. */
const UNPROVEN_PER_SECOND = 50;

interface Queued {
  readonly line: string;
  readonly taken?: () => void;
  readonly failed?: (error: ServiceError) => void;
}

/**
 * Records have consecutive numbers in each process, so a missing one shows. A sink may get a record twice if it took one and did not
 * say so.
 * SECURITY: D608: with required records, nothing is answered whose record the sink has not taken, and nothing is executed while it takes none.
 */
export function createAuditTrail({ sink, required, version, log, onRecords, nowMs = Date.now }: AuditOptions): AuditTrail {
  const instance = `${hostname()}/${process.pid}/${nowMs().toString(36)}`;
  const ended = new AbortController();
  const unproven = limitUnproven(nowMs);
  let queue: Queued[] = [];
  let sequence = 0;
  let isFailing = false;
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  let working: Promise<void> | undefined;

  const lineOf = (fields: object) =>
    JSON.stringify({ time: new Date(nowMs()).toISOString(), instance, sequence: sequence++, ...fields });

  function report(fields: object, text: string): void {
    if (performance.now() - loggedAtMs < REPEAT_MS) return;
    loggedAtMs = performance.now();
    log.error(fields, text);
  }

  function add(entry: Queued): void {
    // INVARIANT: a required record is never dropped. Its request was executed, and no further one is while the queue is full.
    if (!required && queue.length >= MAX_QUEUED) {
      onRecords('dropped', 1);
      report({ queued: queue.length }, 'the audit sink does not take records: records are dropped');
      return;
    }
    queue.push(entry);
    working ??= work();
  }

  async function work(): Promise<void> {
    // Records of requests that end in the same turn of the event loop share a write.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (queue.length > 0) {
      const batch = queue.slice(0, BATCH);
      try {
        await sink.write(batch.map(({ line }) => line));
        queue = queue.slice(batch.length);
        isFailing = false;
        onRecords('taken', batch.length);
        for (const { taken } of batch) taken?.();
      } catch (error) {
        isFailing = true;
        onRecords('failed', batch.length);
        report({ err: error }, 'the audit sink does not take records');
        // INVARIANT: the records stay queued. Requests do not wait for the next attempt.
        for (const { failed } of queue) failed?.(notTaken());
        queue = queue.map(({ line }) => ({ line }));
        if (ended.signal.aborted) break;
        await sleep(RETRY_MS, undefined, { signal: ended.signal }).catch(() => undefined);
      }
    }
    // INVARIANT: no wait between the last look at the queue and this line, so that no record stays behind.
    working = undefined;
  }

  function waitFor(line: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(notTaken()), WAIT_MS);
      const taken = () => {
        clearTimeout(late);
        resolve();
      };
      const failed = (error: ServiceError) => {
        clearTimeout(late);
        reject(error);
      };
      add({ line, taken, failed });
    });
  }

  const problem = () =>
    required && (isFailing || queue.length >= MAX_QUEUED) ? 'the audit sink does not take records' : undefined;

  add({ line: lineOf({ event: 'started', version }) });
  return {
    problem,
    requireAvailable() {
      if (problem() !== undefined)
        throw new ServiceError(
          'UNAVAILABLE',
          'The audit sink does not take records. Nothing was executed. Send the same request again later.',
        );
    },
    record(request) {
      const omitted = request.credentialId === undefined ? unproven() : 0;
      if (omitted === undefined) return undefined;
      if (omitted > 0) add({ line: lineOf({ event: 'omitted', requests: omitted }) });
      const line = lineOf(bounded(request));
      if (required) return waitFor(line);
      add({ line });
      return undefined;
    },
    async close() {
      add({ line: lineOf({ event: 'stopped' }) });
      const timer = setTimeout(() => ended.abort(), CLOSE_MS);
      await working;
      clearTimeout(timer);
      if (queue.length > 0) {
        onRecords('dropped', queue.length);
        log.error({ records: queue.length }, 'the audit sink did not take the last records');
      }
      await sink.close();
    },
  };
}

function notTaken(): ServiceError {
  return new ServiceError(
    'UNAVAILABLE',
    'The audit sink did not take the record of this request. Send the same request again: it is executed at most once.',
  );
}

/** SECURITY: a request can concern many policies. The record must fit into one message of syslog. */
function bounded(request: AuditedRequest): object {
  const { policyIds } = request;
  if (policyIds === undefined || policyIds.length <= MAX_POLICIES) return request;
  return { ...request, policyIds: policyIds.slice(0, MAX_POLICIES), policies: policyIds.length };
}

/**
 * Bounds the records of requests without a proven credential. Returns undefined for one that gets no record, and otherwise how many got
 * none before it.
 * SECURITY: D609: otherwise strangers fill the sink, or delay the responses to users.
 */
function limitUnproven(nowMs: () => number): () => number | undefined {
  let second = 0;
  let recorded = 0;
  let omitted = 0;
  return () => {
    const current = Math.floor(nowMs() / 1_000);
    if (current !== second) {
      second = current;
      recorded = 0;
    }
    if (recorded >= UNPROVEN_PER_SECOND) {
      omitted++;
      return undefined;
    }
    recorded++;
    const before = omitted;
    omitted = 0;
    return before;
  };
}
