import type { StageTimer } from '../admission/index.ts';
import type { TraceParent } from '../wire/trace-parent.ts';

/** A request that was answered: the fields of its line in the log. SECURITY: ids, statuses and codes, never content. */
export interface TracedRequest {
  readonly requestId: string;
  readonly operation: string;
  readonly status: number;
  readonly address?: string | undefined;
  readonly credentialId?: string | undefined;
  readonly policyIds?: readonly string[] | undefined;
}

/** One request in a trace. */
export interface RequestTrace {
  readonly traceId: string;
  /** The `traceparent` header of the response. */
  readonly traceparent: string;
  /** Measures the stages of the request. Absent if the trace is not recorded. */
  readonly timer?: StageTimer;
  /** Queues the spans of the request. Call it once, at its end. */
  end(request: TracedRequest): void;
}

/** Sends traces and metrics over OTLP. */
export interface Telemetry {
  begin(operation: string, parent: TraceParent | undefined): RequestTrace;
  /** Sends what is queued, for a few seconds at most. */
  close(): Promise<void>;
}
