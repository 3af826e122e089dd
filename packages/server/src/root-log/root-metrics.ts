import { Gauge, Registry } from 'prom-client';
import type { MetricDescription } from '../statistics/metrics.ts';
import type { RootLog, RootLogState } from './root-log.ts';

/** The metrics of a root log. Labels are numbers of shards and names of witnesses, from its settings. */
export interface RootMetrics {
  readonly contentType: string;
  /** In the text format of Prometheus. */
  expose(): Promise<string>;
  describe(): readonly MetricDescription[];
}

const seconds = (ms: number) => ms / 1000;

/** Each gauge, and the values of its label. */
const gauges: readonly {
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  read(state: RootLogState): number | readonly (readonly [string, number])[];
}[] = [
  {
    name: 'countersign_root_log_entries',
    help: 'Entries of the root log',
    read: ({ entries }) => entries,
  },
  {
    name: 'countersign_root_log_entry_age_seconds',
    help: 'Time since the newest entry of a shard, by shard; since the start of the root log if it has entered none since',
    label: 'shard',
    read: ({ entryAges }) => [...entryAges].map(([shard, ageMs]) => [String(shard), seconds(ageMs)]),
  },
  {
    name: 'countersign_root_log_shards_behind',
    help: 'Shards whose newest cosigned checkpoint is not entered yet, or that have not sent one',
    read: ({ behind }) => behind,
  },
  {
    name: 'countersign_root_log_witness_age_seconds',
    help: 'Time since a witness confirmed the root log, by witness',
    label: 'witness',
    read: ({ witnesses }) => witnesses.map(({ name, ageMs }) => [name, seconds(ageMs)]),
  },
  {
    name: 'countersign_root_log_suspended',
    help: 'Whether the root log appends and cosigns nothing, because a witness contradicts or none has confirmed it: 1, or 0',
    read: ({ isSuspended }) => Number(isSuspended),
  },
];

export function createRootMetrics(root: Pick<RootLog, 'state'>): RootMetrics {
  const registry = new Registry();
  const registers = [registry];
  const made = gauges.map(({ name, help, label, read }) => ({
    gauge: new Gauge({ name, help, labelNames: label === undefined ? [] : [label], registers }),
    label,
    read,
  }));
  return {
    contentType: registry.contentType,
    async expose() {
      const state = await root.state();
      for (const { gauge, label, read } of made) {
        const values = read(state);
        gauge.reset();
        if (typeof values === 'number') gauge.set(values);
        else for (const [value, amount] of values) gauge.set({ [label as string]: value }, amount);
      }
      return registry.metrics();
    },
    describe: () =>
      gauges.map(({ name, help, label }) => ({ name, type: 'gauge', help, labels: label === undefined ? [] : [label] })),
  };
}
