import type { Bench } from './bench.ts';
import { startLoops } from './loops/loops.ts';
import { describeMachine } from './machine.ts';
import { OptionError, type Options, type StoreName } from './options.ts';
import { writeSection } from './report/performance-page.ts';
import { type ScenarioResult, type ServingResult, servingChart, servingReport, servingSection } from './report/serving-report.ts';
import { createStages, type Window } from './stage.ts';
import { spreadOf } from './statistics.ts';

interface Scenario {
  readonly store: StoreName;
  readonly workers: number;
  readonly connections: number;
}

/** A window, and what the bare cryptography cost right before and after it. */
interface Sample extends Window {
  readonly scenario: Scenario;
  readonly bareMicros: number;
}

/** How long the bare cryptography runs between two windows. */
const BARE_SECONDS = 0.4;

/**
 * Full signed requests against the real server: it verifies the stamp, makes the decision, stores the activity durably and
 * returns the signature. Windows of a server and of the bare cryptography alternate. So other work on the machine affects
 * all of them alike, and each window is compared with its own neighbours. One server runs at a time: what others and their databases
 * do after their windows, such as checkpoints, takes time and caches.
 */
export const serving: Bench = {
  summary: 'full signed requests: throughput, latency and CPU, against the bare cryptography (the default)',

  async run(context) {
    const { options, leftovers, progress } = context;
    const scenarios = combine(options);
    const machine = describeMachine(leftovers);
    const stages = createStages(leftovers);
    const loops = startLoops(leftovers, 'bare');
    const bares: number[] = [];
    const bare = async () => {
      const micros = await loops.cpuMicros('bare', BARE_SECONDS);
      bares.push(micros);
      return micros;
    };
    await loops.cpuMicros('bare', BARE_SECONDS);
    const samples: Sample[] = [];
    for (const group of byServer(scenarios)) {
      const [{ store, workers }] = group;
      progress(`starting and warming up a server on ${store} with ${workers} worker(s)`);
      const stage = await stages.start(store, workers, options.isolate ? { environment: { COUNTERSIGN_ISOLATE: 'true' } } : {});
      let before = await bare();
      for (let round = 0; round < options.rounds; round++) {
        for (const scenario of rotated(group, round)) {
          progress(`${nameOf(scenario)}: round ${round + 1} of ${options.rounds}`);
          const window = await stage.measure(scenario.connections, options.seconds);
          const after = await bare();
          samples.push({ ...window, scenario, bareMicros: (before + after) / 2 });
          before = after;
        }
      }
      await stage.end();
    }
    const result: ServingResult = {
      bench: 'serving',
      machine,
      rounds: options.rounds,
      secondsPerWindow: options.seconds,
      bareCpuMicros: spreadOf(bares),
      scenarios: scenarios.map((scenario) => summarize(scenario, samples)),
    };
    if (options.write) writeSection('serving', servingSection(result), servingChart(result));
    return servingReport(result);
  },
};

function summarize(scenario: Scenario, samples: readonly Sample[]): ScenarioResult {
  const own = samples.filter((sample) => sample.scenario === scenario);
  const over = (value: (sample: Sample) => number) => spreadOf(own.map(value));
  const sum = (value: (sample: Sample) => number) => own.reduce((total, sample) => total + value(sample), 0);
  return {
    store: scenario.store,
    workers: scenario.workers,
    connections: scenario.connections,
    requestsPerSecond: over(({ requests, seconds }) => requests / seconds),
    p50Ms: over(({ p50Ms }) => p50Ms),
    p99Ms: over(({ p99Ms }) => p99Ms),
    cpuMicros: over(({ cpuMicros }) => cpuMicros),
    cpuToBare: over(({ cpuMicros, bareMicros }) => cpuMicros / bareMicros),
    rateToBareCore: over(({ requests, seconds, bareMicros }) => ((requests / seconds) * bareMicros) / 1e6),
    ...(scenario.store === 'postgres' && { databaseCpuMicros: over(({ databaseCpuMicros }) => databaseCpuMicros ?? 0) }),
    loadCpuMicros: over(({ loadCpuMicros, requests }) => loadCpuMicros / requests),
    requests: sum(({ requests }) => requests),
    verifiedSignatures: sum(({ verified }) => verified),
  };
}

/** With fewer connections than workers, some workers would be idle. Such a scenario shows nothing new. */
function combine({ stores, workers, connections }: Options): readonly Scenario[] {
  const all = stores.flatMap((store) =>
    workers.flatMap((count) => connections.map((each) => ({ store, workers: count, connections: each }))),
  );
  const useful = all.filter((scenario) => scenario.connections >= scenario.workers);
  if (useful.length === 0) throw new OptionError('--connections must be at least as many as --workers');
  return useful;
}

/** One server for each store and number of workers. Scenarios that differ only in connections share it. */
function byServer(scenarios: readonly Scenario[]): readonly (readonly [Scenario, ...Scenario[]])[] {
  const groups = new Map<string, [Scenario, ...Scenario[]]>();
  for (const scenario of scenarios) {
    const key = `${scenario.store} ${scenario.workers}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [scenario]);
    else group.push(scenario);
  }
  return [...groups.values()];
}

/** Starts each round with another scenario. */
function rotated<T>(list: readonly T[], by: number): readonly T[] {
  const at = by % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}

function nameOf({ store, workers, connections }: Scenario): string {
  return `${store}, ${workers} worker(s), ${connections} connection(s)`;
}
