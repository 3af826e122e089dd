import type { Bench, BenchContext } from './bench.ts';
import { startLoops } from './loops/loops.ts';
import { describeMachine } from './machine.ts';
import { OptionFault, type Options, type StoreName } from './options.ts';
import { writeSection } from './report/performance-page.ts';
import { type ScenarioResult, type ServingResult, servingChart, servingReport, servingSection } from './report/serving-report.ts';
import { createStages, type Stage, type Window } from './stage.ts';
import { spreadOf } from './statistics.ts';

interface Scenario {
  readonly store: StoreName;
  readonly workers: number;
  readonly connections: number;
  readonly stage: Stage;
}

/** A window, and the cost of the bare cryptography right before and after it. */
interface Sample {
  readonly scenario: Scenario;
  readonly window: Window;
  readonly bareBefore: number;
}

/** How long the bare cryptography runs between two windows. */
const BARE_SECONDS = 0.4;

/**
 * Full signed requests against the real server: it verifies the stamp, makes the decision, stores the activity durably and
 * returns the signature. Windows of all scenarios and of the bare cryptography alternate. So other work on the machine affects
 * all of them alike, and each window is compared with its own neighbours.
 */
export const serving: Bench = {
  summary: 'full signed requests: throughput, latency and CPU, against the bare cryptography (the default)',

  async run(context) {
    const { options, leftovers, progress } = context;
    const combinations = combine(options);
    const machine = describeMachine(leftovers);
    const scenarios = await startScenarios(combinations, context);
    const loops = startLoops(leftovers, 'bare');
    const bare = () => loops.cpuMicros('bare', BARE_SECONDS);
    await bare();
    const samples: Sample[] = [];
    for (let round = 0; round < options.rounds; round++) {
      for (const scenario of rotated(scenarios, round)) {
        progress(`round ${round + 1} of ${options.rounds}: ${nameOf(scenario)}`);
        const bareBefore = await bare();
        samples.push({ scenario, bareBefore, window: await scenario.stage.measure(scenario.connections, options.seconds) });
      }
    }
    const bares = [...samples.map(({ bareBefore }) => bareBefore), await bare()];
    const result: ServingResult = {
      bench: 'serving',
      machine,
      rounds: options.rounds,
      secondsPerWindow: options.seconds,
      bareCpuMicros: spreadOf(bares),
      scenarios: scenarios.map((scenario) => summarize(scenario, samples, bares)),
    };
    if (options.write) writeSection('serving', servingSection(result), servingChart(result));
    return servingReport(result);
  },
};

function summarize(scenario: Scenario, samples: readonly Sample[], bares: readonly number[]): ScenarioResult {
  const own = samples.flatMap((sample, index) => {
    const bareMicros = (sample.bareBefore + (bares[index + 1] as number)) / 2;
    return sample.scenario === scenario ? [{ ...sample.window, bareMicros }] : [];
  });
  const over = (value: (window: (typeof own)[number]) => number) => spreadOf(own.map(value));
  const sum = (value: (window: (typeof own)[number]) => number) => own.reduce((total, window) => total + value(window), 0);
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

type Combination = Omit<Scenario, 'stage'>;

/** With fewer connections than workers, some workers would be idle. Such a scenario shows nothing new. */
function combine({ stores, workers, connections }: Options): readonly Combination[] {
  const all = stores.flatMap((store) =>
    workers.flatMap((count) => connections.map((each) => ({ store, workers: count, connections: each }))),
  );
  const useful = all.filter((combination) => combination.connections >= combination.workers);
  if (useful.length === 0) throw new OptionFault('--connections must be at least as many as --workers');
  return useful;
}

/** One server for each store and number of workers. Scenarios that differ only in connections share it. */
async function startScenarios(combinations: readonly Combination[], { leftovers, progress }: BenchContext): Promise<Scenario[]> {
  const stages = createStages(leftovers);
  const started = new Map<string, Stage>();
  const scenarios: Scenario[] = [];
  for (const combination of combinations) {
    const { store, workers } = combination;
    const key = `${store} with ${workers}`;
    let stage = started.get(key);
    if (stage === undefined) {
      progress(`starting and warming up a server on ${store} with ${workers} worker(s)`);
      stage = await stages.start(store, workers);
      started.set(key, stage);
    }
    scenarios.push({ ...combination, stage });
  }
  return scenarios;
}

/** Starts each round with another scenario. */
function rotated<T>(list: readonly T[], by: number): readonly T[] {
  const at = by % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}

function nameOf({ store, workers, connections }: Combination): string {
  return `${store}, ${workers} worker(s), ${connections} connection(s)`;
}
