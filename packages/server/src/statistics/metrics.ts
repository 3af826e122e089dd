import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import type { Snapshots } from '../organizations/snapshot/snapshots.ts';

/** The service's metrics. Labels are bounded: names come from the contract, never from a request. */
export interface Metrics {
  readonly contentType: string;
  request(operation: string, status: number, seconds: number): void;
  activity(type: string, status: string): void;
  /** An organization, user, wallet or private key was frozen or unfrozen. */
  freeze(target: string, change: 'frozen' | 'unfrozen'): void;
  commitBatch(size: number): void;
  /** A request was rejected by a rate limit or by load shedding. */
  refused(what: string): void;
  stateAlarm(): void;
  /** A delay because of wrong one-time codes: of a contact, of a requester, or of the submitting user. */
  guessing(of: string): void;
  clockAlarm(): void;
  loadAlarm(): void;
  /** A message was sent, stored, retried or parked, expired unsent, or its browser is no longer subscribed. */
  delivery(outcome: string, channel?: string): void;
  /** Events were delivered to a webhook endpoint, will be retried, were rejected permanently, or were dropped. */
  event(outcome: string, count: number): void;
  /** A webhook endpoint was disabled because its receiver accepted nothing for too long. */
  endpointDisabled(): void;
  /** Reports the number of cached organizations, and their approximate size in bytes. */
  watchSnapshots(usage: Snapshots['usage']): void;
  /** Reports values that are read when the metrics are. */
  watch(gauge: WatchedGauge): void;
  /** Audit records were taken by the sink, were not and will be sent again, or were dropped. */
  auditRecords(outcome: string, count: number): void;
  /** Spans and metrics for the OTLP endpoint were sent, failed or were dropped. */
  otlpItems(signal: string, outcome: string, count: number): void;
  /** A chain endpoint was called. Chain and host are settings. */
  chainRequest(chain: string, host: string, outcome: string): void;
  /** A transaction that the service sends reached a state. */
  sent(chain: string, state: string): void;
  /** The endpoints of a chain gave different results. */
  chainDisagreement(chain: string): void;
  /** A root key outside this process was used. */
  rootKeyUsed(seconds: number): void;
  /** Name, type, help and labels of every metric, for the reference. */
  describe(): readonly MetricDescription[];
  /** All metrics in Prometheus text format. */
  expose(): Promise<string>;
  /** The metrics as data, for adding to those of other processes. */
  snapshot(): Promise<MetricsSnapshot>;
}

/** Values that are read each time the metrics are read. */
export interface WatchedGauge {
  readonly name: string;
  readonly help: string;
  /** The name of its only label. Without one, `read` returns a number. */
  readonly label?: string;
  /** How the values of several processes are combined. */
  readonly across: 'sum' | 'min' | 'max';
  read(): number | Readonly<Record<string, number>>;
}

export interface MetricDescription {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** The metrics of one process. */
export type MetricsSnapshot = readonly MetricObjectWithValues<MetricValue<string>>[];

/** The sums of several processes, in Prometheus text format. */
export function aggregateMetrics(snapshots: readonly MetricsSnapshot[]): Promise<string> {
  return AggregatorRegistry.aggregate([...snapshots]).metrics();
}

function counter(registers: Registry[], name: string, help: string, labelNames: string[] = []): Counter {
  return new Counter({ name, help, labelNames, registers });
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: 'countersign_' });
  const requests = counter(registers, 'countersign_requests_total', 'Requests by operation and HTTP status', [
    'operation',
    'status',
  ]);
  const seconds = new Histogram({
    name: 'countersign_request_seconds',
    help: 'Time from the end of the body to the response',
    labelNames: ['operation'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const activities = counter(registers, 'countersign_activities_total', 'Activities made durable, by type and status', [
    'type',
    'status',
  ]);
  const freezes = counter(
    registers,
    'countersign_freezes_total',
    'Organizations, users, wallets and private keys that were frozen and unfrozen, by kind and change',
    ['target', 'change'],
  );
  const batches = new Histogram({
    name: 'countersign_commit_batch_size',
    help: 'Activities in one durable transaction',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers,
  });
  const refusals = counter(
    registers,
    'countersign_refused_total',
    'Requests rejected by rate limits and load shedding, by limit',
    ['limit'],
  );
  const alarms = counter(registers, 'countersign_state_alarms_total', 'Failed verifications of stored state');
  const guessing = counter(
    registers,
    'countersign_guessing_alarms_total',
    'Delays imposed because of wrong one-time codes, by scope',
    ['of'],
  );
  const clockAlarms = counter(
    registers,
    'countersign_clock_alarms_total',
    'Alarms about the clock of this machine or another node',
  );
  const loadAlarms = counter(
    registers,
    'countersign_load_alarms_total',
    'Minutes with many full loads of organizations whose changes could not be read alone',
  );
  const deliveries = counter(
    registers,
    'countersign_messages_total',
    'Attempts to deliver mail and text messages, by outcome and channel',
    ['outcome', 'channel'],
  );
  const events = counter(
    registers,
    'countersign_webhook_events_total',
    'Attempts to deliver events to webhook endpoints, by outcome',
    ['outcome'],
  );
  const disabledEndpoints = counter(
    registers,
    'countersign_webhook_endpoints_disabled_total',
    'Webhook endpoints that were disabled because their receivers accepted nothing for too long',
  );
  const auditRecords = counter(
    registers,
    'countersign_audit_records_total',
    'Records for the audit sink by outcome: taken, failed (they are sent again) or dropped',
    ['outcome'],
  );
  const otlpItems = counter(
    registers,
    'countersign_otlp_items_total',
    'Spans and reports of metrics for the OTLP endpoint, by signal and outcome: sent, failed or dropped',
    ['signal', 'outcome'],
  );
  const rootKeySeconds = new Histogram({
    name: 'countersign_root_key_seconds',
    help: 'Time of each use of a root key in a token or another service, also of the regular checks',
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  return {
    contentType: registry.contentType,
    request(operation, status, duration) {
      requests.inc({ operation, status });
      seconds.observe({ operation }, duration);
    },
    activity: (type, status) => activities.inc({ type, status }),
    freeze: (target, change) => freezes.inc({ target, change }),
    commitBatch: (size) => batches.observe(size),
    refused: (limit) => refusals.inc({ limit }),
    stateAlarm: () => alarms.inc(),
    guessing: (of) => guessing.inc({ of }),
    clockAlarm: () => clockAlarms.inc(),
    loadAlarm: () => loadAlarms.inc(),
    delivery: (outcome, channel = 'unknown') => deliveries.inc({ outcome, channel }),
    event: (outcome, count) => events.inc({ outcome }, count),
    endpointDisabled: () => disabledEndpoints.inc(),
    watchSnapshots: (usage) => watchSnapshots(registers, usage),
    watch: (gauge) => watch(registers, gauge),
    auditRecords: (outcome, count) => auditRecords.inc({ outcome }, count),
    otlpItems: (signal, outcome, count) => otlpItems.inc({ signal, outcome }, count),
    ...chainMetrics(registers),
    rootKeyUsed: (duration) => rootKeySeconds.observe(duration),
    describe: () => describe(registry),
    expose: () => registry.metrics(),
    snapshot: () => registry.getMetricsAsJSON(),
  };
}

function chainMetrics(registers: Registry[]): Pick<Metrics, 'chainRequest' | 'chainDisagreement' | 'sent'> {
  const sent = counter(
    registers,
    'countersign_sent_transactions_total',
    'Changes of state of the transactions that the service sends, by chain and new state',
    ['chain', 'state'],
  );
  const chainRequests = counter(
    registers,
    'countersign_chain_requests_total',
    'Requests to chain endpoints by chain, host and outcome: ok, rejected by the node, or the kind of failure',
    ['chain', 'host', 'outcome'],
  );
  const chainDisagreements = counter(
    registers,
    'countersign_chain_disagreements_total',
    'Requests to which the endpoints of a chain gave different results, by chain',
    ['chain'],
  );
  return {
    sent: (chain, state) => sent.inc({ chain, state }),
    chainRequest: (chain, host, outcome) => chainRequests.inc({ chain, host, outcome }),
    chainDisagreement: (chain) => chainDisagreements.inc({ chain }),
  };
}

function describe(registry: Registry): readonly MetricDescription[] {
  // The types of the library leave out the names of labels.
  const metrics = registry.getMetricsAsArray() as unknown as (MetricDescription & { readonly labelNames: readonly string[] })[];
  return metrics.map(({ name, type, help, labelNames }) => ({ name, type, help, labels: labelNames }));
}

function watch(registers: Registry[], { name, help, label, across, read }: WatchedGauge): void {
  new Gauge({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    aggregator: across,
    registers,
    collect() {
      const values = read();
      if (typeof values === 'number') {
        this.set(values);
        return;
      }
      this.reset();
      for (const [value, amount] of Object.entries(values)) this.set({ [label as string]: value }, amount);
    },
  });
}

/** Reports the snapshot cache. */
function watchSnapshots(registers: Registry[], usage: Snapshots['usage']): void {
  new Gauge({
    name: 'countersign_snapshot_bytes',
    help: 'Approximate bytes of cached organizations',
    registers,
    collect() {
      this.set(usage().bytes);
    },
  });
  new Gauge({
    name: 'countersign_snapshots',
    help: 'Cached organizations',
    registers,
    collect() {
      this.set(usage().organizations);
    },
  });
  new Counter({
    name: 'countersign_organization_loads_total',
    help: 'Reads of organizations: first loads, deltas after changes of other processes, and full loads where a delta failed',
    labelNames: ['how'],
    registers,
    collect() {
      this.reset();
      for (const [how, count] of Object.entries(usage().loads)) this.inc({ how }, count);
    },
  });
}
