import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { unreadable } from '../config/secret-file.ts';
import type { Config } from '../config/settings.ts';
import { VERSION } from '../config/version.ts';
import type { Metrics } from '../statistics/metrics.ts';
import { toMetricData, toTime } from './metric-data.ts';
import { createTraces } from './request-trace.ts';
import { type ExporterOptions, loadSdk, type MetricProducer, type Sdk } from './sdk.ts';
import { type CountItems, countExports, createSpanQueue, MAX_QUEUED_SPANS } from './span-queue.ts';
import type { Telemetry } from './telemetry.ts';

export type TelemetrySettings = Pick<Config, 'otlpEndpoint' | 'otlpHeaders' | 'otlpCaFile' | 'otlpSampleRatio'>;

export interface TelemetryOptions {
  readonly sdk?: Sdk;
  /** Interval between two exports of metrics. */
  readonly metricsMs?: number;
}

const METRICS_MS = 60_000;
/** How long spans wait for others of the same batch. */
const BATCH_MS = 500;
/** How long the endpoint may take, with retries. */
const TIMEOUT_MS = 5_000;
/** How long `close` waits for the endpoint. */
const CLOSE_MS = 3_000;
/** Interval at which a failing endpoint is logged. */
const REPEAT_MS = 60_000;

/** Throws ConfigError if the settings cannot be used. */
export function checkTelemetrySettings(settings: TelemetrySettings): void {
  if (settings.otlpEndpoint === undefined) return;
  loadSdk();
  readAuthority(settings);
}

/** Sends traces and metrics of this process to the configured endpoint. Undefined without one. Throws ConfigError. */
export function openTelemetry(
  settings: TelemetrySettings,
  metrics: Pick<Metrics, 'snapshot' | 'otlpItems'>,
  log: Pick<Logger, 'warn'>,
  { sdk = settings.otlpEndpoint === undefined ? undefined : loadSdk(), metricsMs = METRICS_MS }: TelemetryOptions = {},
): Telemetry | undefined {
  if (settings.otlpEndpoint === undefined || sdk === undefined) return undefined;
  const optionsOf = exporterOptions(settings.otlpEndpoint, settings);
  const count = createReport(metrics, log);
  const queue = createSpanQueue(count);
  const resource = sdk.resourceFromAttributes({
    'service.name': 'countersign',
    'service.version': VERSION,
    'service.instance.id': `${hostname()}/${process.pid}`,
  });
  const spanExporter = countExports(
    new sdk.OTLPTraceExporter(optionsOf('traces')),
    'spans',
    ({ length }) => length,
    (...counted) => {
      queue.leave(counted[2]);
      count(...counted);
    },
  );
  const traces = new sdk.TracerProvider({
    resource,
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(settings.otlpSampleRatio) }),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: spanExporter,
        maxQueueSize: MAX_QUEUED_SPANS,
        maxExportBatchSize: 512,
        scheduledDelayMillis: BATCH_MS,
        exportTimeoutMillis: 2 * TIMEOUT_MS,
      }),
    ],
  });
  const meters = new sdk.MeterProvider({
    resource,
    readers: [
      new sdk.PeriodicExportingMetricReader({
        exporter: countExports(new sdk.OTLPMetricExporter(optionsOf('metrics')), 'metrics', () => 1, count),
        exportIntervalMillis: metricsMs,
        exportTimeoutMillis: Math.min(metricsMs, 2 * TIMEOUT_MS),
        metricProducers: [metricProducer(sdk, metrics)],
      }),
    ],
  });
  return {
    begin: createTraces({
      sdk,
      tracer: traces.getTracer('countersign', VERSION),
      mayQueue: queue.take,
      omitted: (spans) => count('spans', 'dropped', spans),
    }),
    async close() {
      const ended = Promise.allSettled([traces.shutdown(), meters.shutdown()]);
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, CLOSE_MS);
      });
      await Promise.race([ended, late]);
      clearTimeout(timer);
    },
  };
}

/** OTLP over HTTP: both signals are below the endpoint. Redirects are not followed. */
function exporterOptions(endpoint: string, settings: TelemetrySettings): (path: string) => ExporterOptions {
  const ca = readAuthority(settings);
  return (path) => ({
    url: `${endpoint.replace(/\/+$/, '')}/v1/${path}`,
    headers: { ...settings.otlpHeaders },
    timeoutMillis: TIMEOUT_MS,
    concurrencyLimit: 1 + Math.ceil(MAX_QUEUED_SPANS / 512),
    compression: 'gzip',
    httpAgentOptions: { keepAlive: true, maxSockets: 2, ...(ca !== undefined && { ca }) },
  });
}

function readAuthority({ otlpCaFile }: TelemetrySettings): string | undefined {
  if (otlpCaFile === undefined) return undefined;
  try {
    return readFileSync(otlpCaFile, 'utf8');
  } catch (cause) {
    throw unreadable('--otlp-ca-file', otlpCaFile, cause);
  }
}

/** Counts items, and logs now and then that the endpoint does not take them. */
function createReport({ otlpItems }: Pick<Metrics, 'otlpItems'>, log: Pick<Logger, 'warn'>): CountItems {
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  return (signal, outcome, count, reason) => {
    otlpItems(signal, outcome, count);
    if (reason === undefined || performance.now() - loggedAtMs < REPEAT_MS) return;
    loggedAtMs = performance.now();
    log.warn({ signal, outcome, reason }, 'the OTLP endpoint does not take traces or metrics: they are dropped');
  };
}

/** The metrics of `/metrics`, of this process alone. */
function metricProducer(sdk: Sdk, metrics: Pick<Metrics, 'snapshot'>): MetricProducer {
  const startTime = toTime(performance.timeOrigin);
  return {
    async collect() {
      const times = { startTime, endTime: toTime(Date.now()) };
      const data = toMetricData(await metrics.snapshot(), times, sdk);
      return {
        resourceMetrics: { scopeMetrics: [{ scope: { name: 'countersign', version: VERSION }, metrics: data }] },
        errors: [],
      };
    },
  };
}
