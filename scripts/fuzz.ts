import { chains } from '@countersign/chains';

// npm run fuzz -- [runs] [seed]: every transaction parser, longer than the suite does. A failure names its seed.
// npm run fuzz -- prove [questions] [seed]: proofs about random policies, tried with real requests.
const [first, ...rest] = process.argv.slice(2);
const isProof = first === 'prove';
const [count, start] = isProof ? rest : [first, ...rest];
const runs = Number(count ?? 2000);
const seed = Number(start ?? Date.now() % 1_000_000);
const paths = isProof
  ? { prove: '../packages/cli/test/prove/fuzz.ts' }
  : Object.fromEntries(Object.keys(chains).map((id) => [id, `../packages/chains/test/${id}/fuzz.ts`]));

for (const [id, path] of Object.entries(paths)) {
  const { fuzz } = (await import(path)) as { fuzz(runs: number, seed: number): void | Promise<void> };
  const startedAt = performance.now();
  await fuzz(runs, seed);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${id}: ${runs} runs from seed ${seed} in ${seconds} s, nothing found`);
}
// Threads of a solver that ignored its time limit would keep the process alive.
process.exit();
