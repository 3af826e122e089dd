import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

/**
 * Messages of opentelemetry-proto by field number: a name, and the message or type of its value. Written from the .proto files, not from
 * the packages that encode.
 */
const schema = {
  ExportTraceServiceRequest: { 1: ['resourceSpans', 'ResourceSpans'] },
  ResourceSpans: { 1: ['resource', 'Resource'], 2: ['scopeSpans', 'ScopeSpans'] },
  ScopeSpans: { 1: ['scope', 'Scope'], 2: ['spans', 'Span'] },
  Scope: { 1: ['name', 'text'], 2: ['version', 'text'] },
  Resource: { 1: ['attributes', 'KeyValue'] },
  Span: {
    1: ['traceId', 'hex'],
    2: ['spanId', 'hex'],
    4: ['parentSpanId', 'hex'],
    5: ['name', 'text'],
    6: ['kind', 'number'],
    7: ['startTimeUnixNano', 'number'],
    8: ['endTimeUnixNano', 'number'],
    9: ['attributes', 'KeyValue'],
    15: ['status', 'Status'],
  },
  Status: { 3: ['code', 'number'] },
  KeyValue: { 1: ['key', 'text'], 2: ['value', 'AnyValue'] },
  AnyValue: {
    1: ['stringValue', 'text'],
    3: ['intValue', 'number'],
    4: ['doubleValue', 'double'],
    5: ['arrayValue', 'ArrayValue'],
  },
  ArrayValue: { 1: ['values', 'AnyValue'] },
  ExportMetricsServiceRequest: { 1: ['resourceMetrics', 'ResourceMetrics'] },
  ResourceMetrics: { 1: ['resource', 'Resource'], 2: ['scopeMetrics', 'ScopeMetrics'] },
  ScopeMetrics: { 2: ['metrics', 'Metric'] },
  Metric: { 1: ['name', 'text'], 3: ['unit', 'text'], 5: ['gauge', 'Points'], 7: ['sum', 'Sum'], 9: ['histogram', 'Histogram'] },
  Points: { 1: ['dataPoints', 'Point'] },
  Sum: { 1: ['dataPoints', 'Point'], 2: ['temporality', 'number'], 3: ['isMonotonic', 'number'] },
  Point: { 4: ['asDouble', 'double'], 6: ['asInt', 'number'], 7: ['attributes', 'KeyValue'] },
  Histogram: { 1: ['dataPoints', 'HistogramPoint'], 2: ['temporality', 'number'] },
  HistogramPoint: {
    4: ['count', 'number'],
    5: ['sum', 'double'],
    6: ['bucketCounts', 'numbers'],
    7: ['explicitBounds', 'doubles'],
    9: ['attributes', 'KeyValue'],
  },
} as const satisfies Record<string, Record<number, readonly [string, string]>>;

type Message = Record<string, unknown>;
const repeated = /^(resource(Spans|Metrics)|scope(Spans|Metrics)|spans|metrics|attributes|values|dataPoints)$/;

/** Decodes a message of Protocol Buffers. Throws for bytes that are not one. Unknown fields are skipped. */
function decode(name: string, bytes: Buffer): Message {
  const fields = (schema as Record<string, Record<number, readonly [string, string]>>)[name] ?? {};
  const message: Message = {};
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('a varint ends early');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const [field, type] = fields[key >> 3] ?? [];
    let raw: bigint | Buffer;
    if ((key & 7) === 0) raw = varint();
    else {
      const size = (key & 7) === 1 ? 8 : (key & 7) === 5 ? 4 : (key & 7) === 2 ? Number(varint()) : Number.NaN;
      if (!(at + size <= bytes.length)) throw new Error(`a field of ${name} ends early`);
      raw = bytes.subarray(at, at + size);
      at += size;
    }
    if (field === undefined || type === undefined) continue;
    const value = toValue(type, raw);
    if (repeated.test(field)) message[field] = [...((message[field] as unknown[]) ?? []), value];
    else message[field] = value;
  }
  return message;
}

const eights = (bytes: Buffer) =>
  Array.from({ length: bytes.length / 8 }, (_, index) => bytes.subarray(index * 8, index * 8 + 8));

function toValue(type: string, raw: bigint | Buffer): unknown {
  if (type === 'number') return Number(typeof raw === 'bigint' ? raw : raw.readBigUInt64LE());
  const bytes = raw as Buffer;
  if (type === 'text') return bytes.toString('utf8');
  if (type === 'hex') return bytes.toString('hex');
  if (type === 'double') return bytes.readDoubleLE();
  if (type === 'doubles') return eights(bytes).map((each) => each.readDoubleLE());
  if (type === 'numbers') return eights(bytes).map((each) => Number(each.readBigUInt64LE()));
  return decode(type, bytes);
}

type Attribute = { key: string; value: { stringValue?: string; intValue?: number; doubleValue?: number; arrayValue?: Message } };

function plain(attributes: unknown): Record<string, unknown> {
  return Object.fromEntries(
    ((attributes as Attribute[] | undefined) ?? []).map(({ key, value }) => [
      key,
      value.stringValue ??
        value.intValue ??
        value.doubleValue ??
        ((value.arrayValue?.values as Attribute['value'][] | undefined) ?? []).map(({ stringValue }) => stringValue),
    ]),
  );
}

/** A span as it arrived. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: number;
  readonly endTimeUnixNano: number;
  readonly status?: { readonly code?: number };
  readonly attributes: Record<string, unknown>;
  readonly resource: Record<string, unknown>;
}

/** One point of a metric as it arrived. */
export interface ReceivedPoint {
  readonly name: string;
  readonly unit?: string;
  readonly kind: 'gauge' | 'sum' | 'histogram';
  readonly labels: Record<string, unknown>;
  readonly value: number;
  readonly bucketCounts?: readonly number[];
  readonly explicitBounds?: readonly number[];
}

/** An OTLP/HTTP receiver: decodes what arrives, and keeps it. */
export interface OtlpReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** The points of the newest report. */
  readonly points: readonly ReceivedPoint[];
  /** The headers of each request. */
  readonly headers: readonly IncomingHttpHeaders[];
  /** Everything that arrived, decompressed. */
  bytes(): Buffer;
  /** How the receiver answers from now on. */
  answerWith(answer: (request: IncomingMessage) => Answer): void;
  close(): Promise<void>;
}

/** `hang`: the receiver never answers. */
export type Answer = { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> } | 'hang';

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  let points: readonly ReceivedPoint[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const all: Buffer[] = [];
  let answer = (_request: IncomingMessage): Answer => ({ status: 200 });
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    headers.push(request.headers);
    const answered = answer(request);
    if (answered === 'hang') return;
    if (answered.status === 200) {
      const sent = Buffer.concat(chunks);
      const bytes = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
      all.push(bytes);
      if (request.url === '/v1/traces') spans.push(...spansOf(decode('ExportTraceServiceRequest', bytes)));
      else if (request.url === '/v1/metrics') points = pointsOf(decode('ExportMetricsServiceRequest', bytes));
    }
    response
      .writeHead(answered.status, { 'Content-Type': 'application/x-protobuf', ...answered.headers })
      .end(answered.body ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    get points() {
      return points;
    },
    headers,
    bytes: () => Buffer.concat(all),
    answerWith(next) {
      answer = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const list = (value: unknown) => (value as Message[] | undefined) ?? [];

function spansOf({ resourceSpans }: Message): ReceivedSpan[] {
  return list(resourceSpans).flatMap(({ resource, scopeSpans }) =>
    list(scopeSpans).flatMap(({ spans }) =>
      list(spans).map((span) => ({
        ...(span as unknown as ReceivedSpan),
        attributes: plain(span.attributes),
        resource: plain((resource as Message).attributes),
      })),
    ),
  );
}

function pointsOf({ resourceMetrics }: Message): ReceivedPoint[] {
  return list(resourceMetrics).flatMap(({ scopeMetrics }) =>
    list(scopeMetrics).flatMap(({ metrics }) =>
      list(metrics).flatMap(({ name, unit, gauge, sum, histogram }) => {
        const kind = gauge !== undefined ? 'gauge' : sum !== undefined ? 'sum' : 'histogram';
        const { dataPoints } = (gauge ?? sum ?? histogram) as Message;
        return list(dataPoints).map(
          (point) =>
            ({
              name,
              unit,
              kind,
              labels: plain(point.attributes),
              value: point.asDouble ?? point.asInt ?? point.sum ?? 0,
              bucketCounts: point.bucketCounts,
              explicitBounds: point.explicitBounds,
            }) as ReceivedPoint,
        );
      }),
    ),
  );
}
