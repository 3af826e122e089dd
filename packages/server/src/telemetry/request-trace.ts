import { ServiceError } from '@countersign/contract';
import type { StageTimer } from '../admission/index.ts';
import type { TraceParent } from '../wire/trace-parent.ts';
import type { Attributes, Sdk, SdkSpan, Tracer } from './sdk.ts';
import type { RequestTrace, TracedRequest } from './telemetry.ts';

interface MeasuredStage {
  readonly name: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly error: string | undefined;
}

/** Stages that a trace shows. A request that is retried has more. */
const MAX_STAGES = 64;
/** Policies that a trace names. */
const MAX_POLICIES = 32;
/** Traces in a second of requests without a proven credential. */
const UNPROVEN_PER_SECOND = 50;
const SAMPLED = 1;

/** Wall time with the resolution of the monotonic clock. In milliseconds since 1970. */
const nowMs = () => performance.timeOrigin + performance.now();

export interface TraceParts {
  readonly sdk: Pick<Sdk, 'trace' | 'ROOT_CONTEXT' | 'SpanKind' | 'SpanStatusCode'>;
  readonly tracer: Tracer;
  /** Whether so many spans may be queued. */
  mayQueue(spans: number): boolean;
  /** A trace was left out. */
  omitted(spans: number): void;
  /** By the clock of `performance`. */
  readonly now?: () => number;
}

/**
 * Begins traces of requests. The spans of the stages are made at the end of a request, when it is known whether they are sent.
 * SECURITY: D670: clients choose whether a trace is recorded, so those without a proven credential get a bounded number of traces.
 */
export function createTraces(parts: TraceParts): (operation: string, parent: TraceParent | undefined) => RequestTrace {
  const { sdk, tracer } = parts;
  const isOmitted = limitUnproven(parts.now ?? (() => performance.now()));
  return (operation, parent) => {
    const context =
      parent === undefined
        ? sdk.ROOT_CONTEXT
        : sdk.trace.setSpanContext(sdk.ROOT_CONTEXT, {
            traceId: parent.traceId,
            spanId: parent.spanId,
            traceFlags: Number.parseInt(parent.flags, 16) & SAMPLED,
            isRemote: true,
          });
    const span = tracer.startSpan(operation, { kind: sdk.SpanKind.SERVER, startTime: nowMs() }, context);
    const { traceId, spanId, traceFlags } = span.spanContext();
    const ids = { traceId, traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}` };
    if (!span.isRecording()) return { ...ids, end: () => undefined };
    const stages: MeasuredStage[] = [];
    return {
      ...ids,
      timer: createStageTimer(stages),
      end(request) {
        const spans = 1 + stages.length;
        if (request.credentialId === undefined && isOmitted()) parts.omitted(spans);
        else if (parts.mayQueue(spans)) endSpans(parts, span, stages, request);
      },
    };
  };
}

function createStageTimer(stages: MeasuredStage[]): StageTimer {
  return {
    async run(name, task) {
      const startedAtMs = nowMs();
      let error: string | undefined;
      try {
        return await task();
      } catch (thrown) {
        error = thrown instanceof ServiceError ? thrown.code : 'INTERNAL';
        throw thrown;
      } finally {
        if (stages.length < MAX_STAGES) stages.push({ name, startedAtMs, endedAtMs: nowMs(), error });
      }
    },
  };
}

function endSpans({ sdk, tracer }: TraceParts, span: SdkSpan, stages: readonly MeasuredStage[], request: TracedRequest): void {
  const context = sdk.trace.setSpan(sdk.ROOT_CONTEXT, span);
  for (const { name, startedAtMs, endedAtMs, error } of stages) {
    const attributes = error === undefined ? {} : { 'error.type': error };
    tracer.startSpan(name, { startTime: startedAtMs, attributes }, context).end(endedAtMs);
  }
  span.setAttributes(attributesOf(request));
  // A rejected request is not an error of the service.
  if (request.status >= 500) span.setStatus({ code: sdk.SpanStatusCode.ERROR });
  span.end(nowMs());
}

/** Names of fields that OpenTelemetry defines. */
const standardNames: Readonly<Record<string, string>> = {
  status: 'http.response.status_code',
  address: 'client.address',
  error: 'error.type',
};

/** The fields of the line in the log, as attributes. */
function attributesOf(request: TracedRequest): Attributes {
  const attributes: Record<string, string | number | readonly string[]> = {};
  for (const [field, value] of Object.entries(request)) {
    const name = standardNames[field] ?? `countersign.${field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
    if (Array.isArray(value)) attributes[name] = value.slice(0, MAX_POLICIES);
    else if (typeof value === 'string' || typeof value === 'number') attributes[name] = value;
  }
  return attributes;
}

/** Returns whether the trace of a request without a proven credential is left out. */
function limitUnproven(now: () => number): () => boolean {
  let second = 0;
  let traces = 0;
  return () => {
    const current = Math.floor(now() / 1_000);
    if (current !== second) {
      second = current;
      traces = 0;
    }
    return ++traces > UNPROVEN_PER_SECOND;
  };
}
