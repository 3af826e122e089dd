import type { Bench, BenchContext } from './bench.ts';
import { ask } from './conversation.ts';
import { cpuMicrosOf, descendantsOf } from './cpu-time.ts';
import { createDatabases } from './databases.ts';
import { createLimitedTarget, type LimitedTarget } from './limits/organization.ts';
import type { FromLoad, LoadWindow } from './load/messages.ts';
import { describeMachine } from './machine.ts';
import type { StoreName } from './options.ts';
import { limitsReport, type StoreResult } from './report/limits-report.ts';
import { startServerProcess } from './server-process.ts';
import { spreadOf } from './statistics.ts';

const CONNECTIONS = 32;
/** Requests per second to stamp for before the first measurement, and the least after it. */
const FIRST_GUESS_PER_SECOND = 3_000;
const WARM_UP_SECONDS = 4;

/** Scenarios: number of limits in the organization (one of them counts), and how full that limit is. */
const scenarios = {
  'without a limit': { controls: 0, isFull: false },
  'one limit': { controls: 1, isFull: false },
  '100 limits, one counts': { controls: 100, isFull: false },
  'one limit, full window': { controls: 1, isFull: true },
} as const;

type ScenarioName = keyof typeof scenarios;

/**
 * The cost of spending limits for signatures: otherwise equal organizations of one server, measured alternately with 32 connections that
 * share one bucket. Then two nodes with one PostgreSQL and one bucket, concurrently.
 */
export const limits: Bench = {
  summary: 'signatures under limits over time, against the same without, and two nodes under one limit',

  async run(context) {
    const { options, leftovers } = context;
    const machine = describeMachine(leftovers);
    const createDatabase = createDatabases(leftovers);
    const stores: StoreResult[] = [];
    for (const store of options.stores) stores.push(await measureStore(context, store, createDatabase));
    const { rounds, seconds, points } = options;
    return limitsReport({
      bench: 'limits',
      machine,
      rounds,
      secondsPerWindow: seconds,
      connections: CONNECTIONS,
      points,
      stores,
    });
  },
};

async function measureStore(
  context: BenchContext,
  store: StoreName,
  createDatabase: () => Promise<string>,
): Promise<StoreResult> {
  const { options, leftovers, progress } = context;
  const databaseUrl = store === 'postgres' ? await createDatabase() : undefined;
  const server = await startServerProcess(leftovers, 1, databaseUrl);
  const driver = startDriver(context);
  const names = Object.keys(scenarios) as ScenarioName[];
  const targets = new Map<ScenarioName, LimitedTarget>();
  for (const name of names) {
    progress(`${store}: ${name}`);
    const { controls, isFull } = scenarios[name];
    const target = await createLimitedTarget(server.target, controls);
    if (isFull) await fill(context, driver, target);
    targets.set(name, target);
    await driver(target, WARM_UP_SECONDS);
  }
  const rates = new Map(names.map((name) => [name, [] as number[]]));
  const costs = new Map(names.map((name) => [name, [] as number[]]));
  const service = [server.pid, ...descendantsOf(server.pid)];
  for (let round = 0; round < options.rounds; round++) {
    for (const name of [...names.slice(round % names.length), ...names.slice(0, round % names.length)]) {
      progress(`${store}: round ${round + 1} of ${options.rounds}: ${name}`);
      const { requests, seconds, cpuMicros } = await driver(targets.get(name) as LimitedTarget, options.seconds, service);
      rates.get(name)?.push(requests / seconds);
      costs.get(name)?.push(cpuMicros / requests);
    }
  }
  const ratios = (of: ReadonlyMap<ScenarioName, readonly number[]>, name: ScenarioName) => {
    const without = of.get('without a limit') as readonly number[];
    return spreadOf((of.get(name) as readonly number[]).map((value, round) => value / (without[round] as number)));
  };
  const shared = targets.get('one limit') as LimitedTarget;
  return {
    store,
    scenarios: names.map((name) => ({
      name,
      requestsPerSecond: spreadOf(rates.get(name) as number[]),
      toWithout: ratios(rates, name),
      cpuMicros: spreadOf(costs.get(name) as number[]),
      cpuToWithout: ratios(costs, name),
    })),
    ...(databaseUrl !== undefined && { nodes: await twoNodes(context, databaseUrl, server.dataDir, shared) }),
  };
}

/** A window, and what it cost the processes of a server. */
interface Measured extends LoadWindow {
  readonly cpuMicros: number;
}

type Driver = (target: LimitedTarget, seconds: number, service?: readonly number[]) => Promise<Measured>;

/** Measures windows in a separate process. */
function startDriver({ leftovers }: BenchContext): Driver {
  const load = leftovers.fork('./load/load-process.ts');
  let fastest = FIRST_GUESS_PER_SECOND;
  return async (target, seconds, service = []) => {
    const requests = Math.ceil(fastest * seconds * 1.33);
    await ask<FromLoad>(load, { kind: 'prepare', target, connections: CONNECTIONS, requests });
    const before = cpuMicrosOf(service);
    const { window } = await ask<Extract<FromLoad, { kind: 'done' }>>(load, { kind: 'start', seconds });
    const cpuMicros = cpuMicrosOf(service) - before;
    fastest = Math.max(fastest / 2, window.requests / window.seconds);
    return { ...window, cpuMicros };
  };
}

/** Fills the window of the first limit with signatures: the log refuses counts that no activity made. */
async function fill({ options, progress }: BenchContext, driver: Driver, target: LimitedTarget): Promise<void> {
  for (let counted = 0; counted < options.points; ) {
    counted += (await driver(target, WARM_UP_SECONDS)).requests;
    progress(`${counted.toLocaleString('en')} of ${options.points.toLocaleString('en')} counts`);
  }
}

/** The rates of two nodes that count in one bucket at the same time. */
async function twoNodes(
  context: BenchContext,
  databaseUrl: string,
  dataDir: string,
  target: LimitedTarget,
): Promise<NonNullable<StoreResult['nodes']>> {
  const { options, leftovers, progress } = context;
  const second = await startServerProcess(leftovers, 1, databaseUrl, [], dataDir);
  const targets = [target, { ...target, host: second.target.host, port: second.target.port }];
  const drivers = targets.map(() => startDriver(context));
  const measure = (seconds: number) => Promise.all(targets.map((each, index) => (drivers[index] as Driver)(each, seconds)));
  await measure(WARM_UP_SECONDS);
  const rates: number[][] = [[], []];
  for (let round = 0; round < options.rounds; round++) {
    progress(`two nodes: round ${round + 1} of ${options.rounds}`);
    for (const [index, { requests, seconds }] of (await measure(options.seconds)).entries())
      rates[index]?.push(requests / seconds);
  }
  return rates.map(spreadOf);
}
