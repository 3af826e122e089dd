import type { Bench, BenchContext } from './bench.ts';
import { createDatabases } from './databases.ts';
import { measureConcurrent } from './growth/concurrent.ts';
import { type Fill, type Installation, startInstallation, startSeeder } from './growth/installation.ts';
import { type Growing, growing, wantedSizes } from './growth/kinds.ts';
import { type Cost, measure } from './growth/window.ts';
import { describeMachine } from './machine.ts';
import { growthChart } from './report/growth-chart.ts';
import { type GrowthResult, growthReport, growthSection, type KindResult } from './report/growth-report.ts';
import { writeSection } from './report/performance-page.ts';
import { spreadOf } from './statistics.ts';

/** A server that has just started still compiles what it runs often. */
const WARM_UP_MS = 6_000;

/** What the same requests cost in organizations of growing size, as ratios to the smallest, measured alternately. */
export const growth: Bench = {
  summary: 'the same requests with few and with very many users, policies, tags, wallets, keys or activities',

  async run(context) {
    const { options, leftovers } = context;
    const machine = describeMachine(leftovers);
    const fill = await startSeeder(leftovers);
    const kinds: KindResult[] = [];
    for (const kind of growing.filter((each) => options.kinds.length === 0 || options.kinds.includes(each)))
      kinds.push(await measureKind(context, fill, kind));
    const isWanted = options.kinds.length === 0 || options.kinds.includes('concurrent');
    const concurrent = isWanted ? await measureConcurrent(context, fill, createDatabases(leftovers)) : [];
    const result: GrowthResult = { bench: 'growth', machine, rounds: options.rounds, most: options.most, kinds, concurrent };
    if (options.write) writeSection('growth', growthSection(result), growthChart(result));
    return growthReport(result);
  },
};

async function measureKind({ options, leftovers, progress }: BenchContext, fill: Fill, kind: Growing): Promise<KindResult> {
  const installations: Installation[] = [];
  for (const size of wantedSizes(kind, options)) {
    progress(`filling an organization with ${size.toLocaleString('en')} ${kind}`);
    installations.push(await startInstallation(leftovers, fill, kind, size));
  }
  progress(`${kind}: warming up`);
  for (const installation of installations)
    await Promise.all(installation.operations.map((operation) => measure(installation, operation, 'warm-up', WARM_UP_MS)));
  const rounds: (readonly Cost[])[][] = [];
  for (let round = 0; round < options.rounds; round++) {
    progress(`${kind}: round ${round + 1} of ${options.rounds}`);
    rounds.push(await measureRound(installations, `round ${round}`, options.seconds * 1000));
  }
  for (const { end } of installations) await end();
  const names = installations[0]?.operations.map(({ name }) => name) ?? [];
  return {
    kind,
    sizes: installations.map(({ size }) => size),
    measured: names.map((name, operation) => ({
      name,
      points: installations.map(({ size }, at) => {
        const costs = rounds.map((round) => round[operation] as readonly Cost[]);
        const of = (pick: (costs: readonly Cost[]) => number) => spreadOf(costs.map(pick)).median;
        return {
          size,
          ms: of((row) => (row[at] as Cost).ms),
          cpuMs: of((row) => (row[at] as Cost).cpuMs),
          ratio: of((row) => (row[at] as Cost).cpuMs / (row[0] as Cost).cpuMs),
        };
      }),
    })),
    cold: installations.map(({ size, coldMs, blockedMs }) => ({ size, ms: coldMs, blockedMs })),
  };
}

/** The costs of each operation, by installation. */
async function measureRound(
  installations: readonly Installation[],
  unique: string,
  leastMs: number,
): Promise<(readonly Cost[])[]> {
  const byOperation: Cost[][] = [];
  for (const operation of installations[0]?.operations.keys() ?? []) {
    const costs: Cost[] = [];
    for (const { operations, ...service } of installations) {
      const sent = operations[operation];
      if (sent !== undefined) costs.push(await measure(service, sent, unique, leastMs));
    }
    byOperation.push(costs);
  }
  return byOperation;
}
