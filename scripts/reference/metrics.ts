import { createRootMetrics } from '../../packages/server/src/root-log/root-metrics.ts';
import { createAlarms } from '../../packages/server/src/statistics/alarms.ts';
import { createMetrics, type MetricDescription } from '../../packages/server/src/statistics/metrics.ts';
import { watchMessages, watchPending } from '../../packages/server/src/statistics/watch-backlog.ts';
import { watchCertificates } from '../../packages/server/src/statistics/watch-certificates.ts';
import { watchService } from '../../packages/server/src/statistics/watch-service.ts';
import { code, page, table } from './markdown.ts';

/** Every metric of a service on PostgreSQL with a witness, sorted by name. */
export function describeMetrics(): readonly MetricDescription[] {
  const metrics = createMetrics();
  createAlarms(metrics, { error: () => undefined }, '');
  metrics.watchSnapshots(() => ({ organizations: 0, bytes: 0, loads: { full: 0, delta: 0, fallback: 0 } }));
  watchService(metrics, {
    admission: { queued: () => ({ proven: 0, unproven: 0 }) },
    store: { connections: () => ({ open: 0, idle: 0, waiting: 0 }) },
    vault: { rootKey: () => ({ status: 'available' }) },
    log: { lag: () => ({ unloggedMs: 0, witnesses: [] }) },
  });
  watchCertificates(metrics, () => ({}));
  watchPending(metrics, () => 0);
  watchMessages(metrics, () => ({}));
  return [...metrics.describe()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Every metric of a root log. */
export function describeRootMetrics(): readonly MetricDescription[] {
  return createRootMetrics({ state: () => Promise.reject(new Error('nothing is read here')) }).describe();
}

const rowOf = ({ name, type, help, labels }: MetricDescription) => [code(name), type, labels.map(code).join(', '), help];

/** Every metric of `/metrics`. */
export function metricsPage(): string {
  const rows = describeMetrics()
    .filter(({ name }) => !isRuntime(name))
    .map(rowOf);
  return page('Metrics', 'packages/server/src/statistics', [
    'The metrics of `/metrics` in the text format of Prometheus. With several processes (`--workers`), the response has the sums of all of them, or the highest or lowest value if a sum has no meaning. Labels are bounded: no value comes from a request. `deploy/prometheus` has alert rules, and `deploy/grafana` a dashboard.',
    table(['Name', 'Type', 'Labels', 'Meaning'], rows),
    'The metrics of the process and of Node.js begin with `countersign_process_` and `countersign_nodejs_`: processor time, memory, open files, delay of the event loop, heap and garbage collection.',
    '## Root log',
    '`countersign root-log` has its own `/metrics`. A router has none: read those of each shard at the address of the shard.',
    table(['Name', 'Type', 'Labels', 'Meaning'], describeRootMetrics().map(rowOf)),
  ]);
}

const isRuntime = (name: string) => /^countersign_(process|nodejs)_/.test(name);
