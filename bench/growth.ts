import { once } from 'node:events';
import type { Bench, BenchContext } from './bench.ts';
import { type Operation, operationsOn } from './growth/operations.ts';
import { growing } from './growth/records.ts';
import type { ColdLoad, Order } from './growth/seed-process.ts';
import { describeMachine } from './machine.ts';
import { growthChart } from './report/growth-chart.ts';
import { type GrowthResult, growthReport, growthSection } from './report/growth-report.ts';
import { writeSection } from './report/performance-page.ts';
import { startServerProcess } from './server-process.ts';
import { Stamper } from './stamper.ts';
import { spreadOf } from './statistics.ts';
import { createProbe } from './tenants/probe.ts';

const SIZES = [10, 100, 1_000, 10_000, 50_000];
/** Requests of each kind in one round. */
const REQUESTS = 5;

const limits = [
  ...['users', 'policies', 'wallets', 'private-keys', 'tags'].flatMap((name) => [`--max-${name}`, '100000']),
  // All organizations of a run stay in memory. Otherwise each request would measure how the next one is read.
  ...['--snapshot-megabytes', '4096'],
];

/** What the same requests cost in organizations of growing size, as ratios to the smallest, measured alternately. */
export const growth: Bench = {
  summary: 'the same requests in organizations of 10 to 10,000 users, policies, tags, wallets or keys',

  async run(context) {
    const { options, leftovers, progress } = context;
    const machine = describeMachine(leftovers);
    const sizes = SIZES.filter((size) => size <= options.most);
    const { target, dataDir } = await startServerProcess(leftovers, 1, undefined, limits);
    const url = `http://${target.host}:${target.port}`;
    const parent = new Stamper(target);
    const fill = await startSeeder(context, dataDir);
    const kinds: GrowthResult['kinds'][number][] = [];
    for (const kind of growing.filter((each) => options.kinds.length === 0 || options.kinds.includes(each))) {
      const organizations: (ColdLoad & {
        readonly size: number;
        readonly operations: Readonly<Record<string, Operation>>;
      })[] = [];
      for (const size of sizes) {
        progress(`filling an organization with ${size.toLocaleString('en')} ${kind}`);
        const probe = await createProbe(url, target, parent);
        const cold = await fill({ organizationId: probe.organizationId, kind, count: size });
        organizations.push({ size, ...cold, operations: operationsOn(url, kind, probe) });
      }
      const times = new Map<string, number[][]>();
      for (let round = 0; round < options.rounds; round++) {
        progress(`${kind}: round ${round + 1} of ${options.rounds}`);
        for (const name of Object.keys(organizations[0]?.operations ?? {})) {
          const medians: number[] = [];
          for (const { size, operations } of organizations)
            medians.push(await medianMs(operations[name] as Operation, `${kind} ${size} ${round}`));
          times.set(name, [...(times.get(name) ?? []), medians]);
        }
      }
      const measured = [...times].map(([name, rounds]) => ({
        name,
        points: sizes.map((size, at) => {
          const values = rounds.map((medians) => medians[at] as number);
          const ratios = rounds.map((medians) => (medians[at] as number) / (medians[0] as number));
          return { size, ms: spreadOf(values).median, ratio: spreadOf(ratios).median };
        }),
      }));
      const cold = organizations.map(({ size, coldMs, blockedMs }) => ({ size, ms: coldMs, blockedMs }));
      kinds.push({ kind, measured, cold });
    }
    const result: GrowthResult = { bench: 'growth', machine, rounds: options.rounds, sizes, kinds };
    if (options.write) writeSection('growth', growthSection(result), growthChart(result));
    return growthReport(result);
  },
};

/** Starts the process that fills organizations. One for all: it takes longer to start than to fill most of them. */
async function startSeeder({ leftovers }: BenchContext, dataDir: string): Promise<(order: Order) => Promise<ColdLoad>> {
  const seeder = leftovers.fork('./growth/seed-process.ts', [dataDir]);
  const ended = once(seeder, 'exit').then(() => Promise.reject(new Error('the organization could not be filled')));
  ended.catch(() => undefined);
  const answer = async () => (await Promise.race([once(seeder, 'message'), ended]))[0] as unknown;
  await answer();
  return async (order) => {
    seeder.send(order);
    return (await answer()) as ColdLoad;
  };
}

async function medianMs(operation: Operation, unique: string): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < REQUESTS; index++) {
    const startedAt = performance.now();
    await operation(`${unique} ${index}`);
    times.push(performance.now() - startedAt);
  }
  return spreadOf(times).median;
}
