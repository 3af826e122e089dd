import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packInto } from '../test/repository/packages/packed.ts';
import { type NodeTrial, tryNode } from './nodes/try-node.ts';

/** npm run test:nodes [-- 22 24]: tries the packed packages on each supported version of Node and prints a table of the results. */
const SUPPORTED = ['20', '22', '24'];
const args = process.argv.slice(2);
const versions = args.length > 0 ? args : SUPPORTED;
const folder = await mkdtemp(join(tmpdir(), 'countersign-nodes-'));
const rows: NodeTrial[] = [];
try {
  const packages = [...(await packInto(folder)).map(({ filename }) => join(folder, filename)), ...peers()];
  for (const version of versions) {
    process.stderr.write(`Node ${version}: installing and compiling\n`);
    // Try the other versions even if one fails.
    await tryNode(version, join(folder, version), packages).then(
      (row) => rows.push(row),
      (error: unknown) => console.error(`Node ${version}: ${error instanceof Error ? error.message : error}`),
    );
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
const columns = ['install', 'start', 'signature', 'native', 'command', 'pipelining', 'examples', 'tests'] as const;
console.log(
  '| Node | install | start | signature, by service and client | native addon | command | pipelining | README examples | tests |',
);
console.log(`|${'---|'.repeat(columns.length + 1)}`);
for (const row of rows) console.log(`| ${[row.version, ...columns.map((column) => row[column])].join(' | ')} |`);
// The addon is optional: a Node without it is slower, not broken.
const isSound = ({ signature, command, pipelining, examples, tests }: NodeTrial) =>
  signature === 'verifies' && command === 'works' && ![pipelining, examples, tests].some((text) => text.startsWith('FAILED'));
if (rows.length < versions.length || !rows.every(isSound)) process.exitCode = 1;

/** The libraries that the adapters are for, in the versions that the repository tests them with. */
function peers(): string[] {
  const read = (path: string) => JSON.parse(readFileSync(new URL(`../${path}/package.json`, import.meta.url), 'utf8'));
  const names = ['viem', 'ethers', 'solana', 'bitcoinjs'].flatMap((adapter) =>
    Object.keys(read(`packages/${adapter}`).peerDependencies),
  );
  return names.map((name) => `${name}@${read(`node_modules/${name}`).version}`);
}
