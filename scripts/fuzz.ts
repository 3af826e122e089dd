import { chains } from '@countersign/chains';

// npm run fuzz -- [runs] [seed]: every transaction parser, longer than the suite does. A failure names its seed.
const runs = Number(process.argv[2] ?? 2000);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);

for (const id of Object.keys(chains)) {
  const { fuzz } = (await import(`../packages/chains/test/${id}/fuzz.ts`)) as { fuzz(runs: number, seed: number): void };
  const startedAt = performance.now();
  fuzz(runs, seed);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${id}: ${runs} runs from seed ${seed} in ${seconds} s, nothing found`);
}
