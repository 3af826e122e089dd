import type { MetricsSnapshot } from '../statistics/metrics.ts';
import type { Sdk } from './sdk.ts';

type Metric = MetricsSnapshot[number];
type Value = Metric['values'][number] & { readonly metricName?: string };
type Labels = Readonly<Record<string, string | number | undefined>>;

/** Seconds since 1970, and nanoseconds. */
type Time = readonly [number, number];

export interface MetricTimes {
  /** When the process began to count. */
  readonly startTime: Time;
  readonly endTime: Time;
}

export type MetricKinds = Pick<Sdk, 'DataPointType' | 'AggregationTemporality' | 'ValueType'>;

export const toTime = (ms: number): Time => [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1_000_000)];

/** The metrics of this process in the form of OpenTelemetry, under the same names. */
export function toMetricData(snapshot: MetricsSnapshot, times: MetricTimes, kinds: MetricKinds): readonly object[] {
  return snapshot.map((metric) => {
    const common = {
      descriptor: { name: metric.name, description: metric.help, unit: unitOf(metric.name), valueType: kinds.ValueType.DOUBLE },
      aggregationTemporality: kinds.AggregationTemporality.CUMULATIVE,
    };
    // The library gives the name of the type, although its types say a number.
    const type = String(metric.type);
    if (type === 'histogram') {
      return { ...common, dataPointType: kinds.DataPointType.HISTOGRAM, dataPoints: histogramPoints(metric, times) };
    }
    const dataPoints = metric.values.map(({ value, labels }) => ({ ...times, attributes: labelsOf(labels), value }));
    return type === 'counter'
      ? { ...common, dataPointType: kinds.DataPointType.SUM, isMonotonic: true, dataPoints }
      : { ...common, dataPointType: kinds.DataPointType.GAUGE, dataPoints };
  });
}

function unitOf(name: string): string {
  if (/_seconds(_total)?$/.test(name)) return 's';
  return /_bytes(_total)?$/.test(name) ? 'By' : '';
}

function labelsOf(labels: Labels): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

interface Buckets {
  readonly attributes: Record<string, string>;
  readonly boundaries: number[];
  /** Cumulative, as Prometheus counts. */
  readonly counts: number[];
  sum: number;
  count: number;
}

/** One point for each combination of labels other than the bucket. */
function histogramPoints({ name, values }: Metric, times: MetricTimes): readonly object[] {
  const points = new Map<string, Buckets>();
  for (const { labels, value, metricName } of values as readonly Value[]) {
    const { le, ...others } = labels as Labels;
    const attributes = labelsOf(others);
    const key = JSON.stringify(attributes);
    const point = points.get(key) ?? { attributes, boundaries: [], counts: [], sum: 0, count: 0 };
    points.set(key, point);
    if (metricName === `${name}_sum`) point.sum = value;
    else if (metricName === `${name}_count`) point.count = value;
    else if (le !== undefined && Number.isFinite(Number(le))) {
      point.boundaries.push(Number(le));
      point.counts.push(value);
    }
  }
  return [...points.values()].map(({ attributes, boundaries, counts, sum, count }) => ({
    ...times,
    attributes,
    value: {
      buckets: { boundaries, counts: [...counts, count].map((total, index, all) => total - (all[index - 1] ?? 0)) },
      sum,
      count,
    },
  }));
}
