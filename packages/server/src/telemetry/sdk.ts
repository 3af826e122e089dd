import { createRequire } from 'node:module';
import { ConfigError } from '../config/config-error.ts';

/** The packages of OpenTelemetry, and the versions that are tested. They are optional peers. */
export const sdkPackages = {
  '@opentelemetry/api': '1.9.1',
  '@opentelemetry/resources': '2.12.0',
  '@opentelemetry/sdk-trace': '2.12.0',
  '@opentelemetry/sdk-metrics': '2.12.0',
  '@opentelemetry/exporter-trace-otlp-proto': '0.223.0',
  '@opentelemetry/exporter-metrics-otlp-proto': '0.223.0',
} as const;

type PackageName = keyof typeof sdkPackages;

/** The time of a span, in milliseconds since 1970. */
type Time = number;

export interface SdkSpan {
  spanContext(): { readonly traceId: string; readonly spanId: string; readonly traceFlags: number };
  isRecording(): boolean;
  setAttributes(attributes: Attributes): unknown;
  setStatus(status: { readonly code: number }): unknown;
  end(time: Time): void;
}

export type Attributes = Readonly<Record<string, string | number | readonly string[]>>;

/** Opaque values of the packages. */
type Context = { readonly context: unique symbol };
type Resource = { readonly resource: unique symbol };

interface Closable {
  shutdown(): Promise<void>;
}

/** Sends spans or metrics. The result has the code 0 if the endpoint has taken them. */
export interface Exporter<Items> extends Closable {
  export(items: Items, done: (result: { readonly code: number; readonly error?: Error }) => void): void;
  forceFlush?(): Promise<void>;
}

export interface Tracer {
  startSpan(name: string, options: { kind?: number; startTime: Time; attributes?: Attributes }, context: Context): SdkSpan;
}

export interface ExporterOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMillis: number;
  readonly concurrencyLimit: number;
  readonly compression: string;
  readonly httpAgentOptions: object;
}

export interface MetricProducer {
  collect(): Promise<{
    readonly resourceMetrics: { readonly scopeMetrics: readonly unknown[] };
    readonly errors: readonly unknown[];
  }>;
}

/** The part of the packages that is used. Their types may be missing, because they are optional peers. */
export interface Sdk {
  readonly trace: {
    setSpanContext(context: Context, parent: { traceId: string; spanId: string; traceFlags: number; isRemote: boolean }): Context;
    setSpan(context: Context, span: SdkSpan): Context;
  };
  readonly ROOT_CONTEXT: Context;
  readonly SpanKind: { readonly SERVER: number };
  readonly SpanStatusCode: { readonly ERROR: number };
  readonly ValueType: { readonly DOUBLE: number };
  resourceFromAttributes(attributes: Attributes): Resource;
  readonly TracerProvider: new (options: object) => Closable & { getTracer(name: string, version: string): Tracer };
  readonly BatchSpanProcessor: new (options: object) => Closable;
  readonly ParentBasedSampler: new (options: { root: object }) => object;
  readonly TraceIdRatioBasedSampler: new (ratio: number) => object;
  readonly MeterProvider: new (options: object) => Closable;
  readonly PeriodicExportingMetricReader: new (options: object) => object;
  readonly AggregationTemporality: { readonly CUMULATIVE: number };
  readonly DataPointType: { readonly HISTOGRAM: number; readonly GAUGE: number; readonly SUM: number };
  readonly OTLPTraceExporter: new (options: ExporterOptions) => Exporter<readonly unknown[]>;
  readonly OTLPMetricExporter: new (options: ExporterOptions) => Exporter<object>;
}

/** Loads the packages. Throws ConfigError if one is not installed. */
export function loadSdk(load: (name: PackageName) => object = createRequire(import.meta.url)): Sdk {
  const names = Object.keys(sdkPackages) as PackageName[];
  try {
    return Object.assign({}, ...names.map((name) => load(name))) as Sdk;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw cause;
    const words = names.map((name) => `${name}@${sdkPackages[name]}`);
    throw new ConfigError(
      '--otlp-endpoint needs packages of OpenTelemetry that are not installed.',
      `Install them beside countersign: 'npm install ${words.join(' ')}'. Or omit --otlp-endpoint.`,
      { cause },
    );
  }
}
