import { fuzzBitcoin } from '../packages/chains/test/bitcoin/fuzz.ts';
import { fuzzEthereum } from '../packages/chains/test/ethereum/fuzz.ts';
import { fuzzSolana } from '../packages/chains/test/solana/fuzz.ts';
import { fuzzTron } from '../packages/chains/test/tron/fuzz.ts';

// npm run fuzz -- [runs] [seed]: every transaction parser, longer than the suite does. A failure names its seed.
const runs = Number(process.argv[2] ?? 2000);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
const parsers = { Ethereum: fuzzEthereum, Solana: fuzzSolana, Tron: fuzzTron, Bitcoin: fuzzBitcoin };

for (const [name, fuzz] of Object.entries(parsers)) {
  const startedAt = performance.now();
  fuzz(runs, seed);
  console.log(
    `${name}: ${runs} runs from seed ${seed} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s, nothing found`,
  );
}
