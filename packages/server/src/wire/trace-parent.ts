/** The place of a request in the trace of its client, see W3C Trace Context. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  /** Two hexadecimal digits. The lowest bit says whether the client records the trace. */
  readonly flags: string;
}

/** SECURITY: the parts are written to logs and to response headers. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Reads a `traceparent` header. Undefined if it is absent or malformed. */
export function readTraceParent(header: string | readonly string[] | undefined): TraceParent | undefined {
  const [, traceId, spanId, flags] = (typeof header === 'string' && TRACEPARENT.exec(header)) || [];
  return traceId === undefined || spanId === undefined || flags === undefined ? undefined : { traceId, spanId, flags };
}
