import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packInto } from '../test/repository/packages/packed.ts';
import { type NodeTrial, tryNode } from './nodes/try-node.ts';

/** npm run test:nodes [-- 22 24]: the packed packages on each version of Node that we support, with a table of what worked. */
const SUPPORTED = ['20', '22', '24'];
const asked = process.argv.slice(2);
const versions = asked.length > 0 ? asked : SUPPORTED;
const folder = await mkdtemp(join(tmpdir(), 'countersign-nodes-'));
const rows: NodeTrial[] = [];
try {
  const packages = [...(await packInto(folder)).map(({ filename }) => join(folder, filename)), ...peers()];
  for (const version of versions) {
    process.stderr.write(`Node ${version}: installing and compiling\n`);
    // One that fails leaves the others to be tried.
    await tryNode(version, join(folder, version), packages).then(
      (row) => rows.push(row),
      (error: unknown) => console.error(`Node ${version}: ${error instanceof Error ? error.message : error}`),
    );
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
const columns = ['install', 'start', 'signature', 'native', 'command', 'examples', 'tests'] as const;
console.log('| Node | install | start | signature, by service and client | native addon | command | README examples | tests |');
console.log(`|${'---|'.repeat(columns.length + 1)}`);
for (const row of rows) console.log(`| ${[row.version, ...columns.map((column) => row[column])].join(' | ')} |`);
// The addon is optional: a Node without it is slower, not broken.
const isSound = ({ signature, command, examples, tests }: NodeTrial) =>
  signature === 'verifies' && command === 'works' && ![examples, tests].some((text) => text.startsWith('FAILED'));
if (rows.length < versions.length || !rows.every(isSound)) process.exitCode = 1;

/** The libraries that the adapters are for, in the versions that the repository tests them with. */
function peers(): string[] {
  const read = (path: string) => JSON.parse(readFileSync(new URL(`../${path}/package.json`, import.meta.url), 'utf8'));
  const names = ['viem', 'ethers', 'solana', 'bitcoinjs'].flatMap((adapter) =>
    Object.keys(read(`packages/${adapter}`).peerDependencies),
  );
  return names.map((name) => `${name}@${read(`node_modules/${name}`).version}`);
}
