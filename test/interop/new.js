// Shows what is new in the published packages: versions, paths, activity types, transaction types and hosts. Downloads packages, runs none.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { notMeant, wordsOfAll } from './support/published-words.js';

const run = promisify(execFile);

/** Packages that are not installed here, and that call the installed ones or servers. */
const alsoRead = [
  'cosmjs',
  'eip-1193-provider',
  'ethers',
  'react-native-wallet-kit',
  'react-wallet-kit',
  'sdk-react',
  'sdk-types',
];

const { devDependencies } = JSON.parse(await readFile(new URL('package.json', import.meta.url), 'utf8'));
const tested = Object.entries(devDependencies).filter(([name]) => name.startsWith('@turnkey/'));
const names = [...new Set([...tested.map(([name]) => name), ...alsoRead.map((name) => `@turnkey/${name}`)])].sort();

const folder = await mkdtemp(join(tmpdir(), 'countersign-new-'));
try {
  console.log('Versions, tested here and published:');
  const folders = [];
  for (const name of names) {
    const newest = await npm('view', name, 'version');
    const ours = devDependencies[name];
    console.log(`  ${name} ${ours ?? 'not installed'}${ours === newest ? '' : ` -> ${newest}`}`);
    folders.push(await unpack(name, newest));
  }
  const published = await wordsOfAll(folders);
  const known = await wordsOfAll([new URL('node_modules/@turnkey/', import.meta.url).pathname]).catch(() => undefined);
  if (known === undefined) throw new Error('install the tested versions first: npm ci --prefix test/interop');
  for (const [kind, words] of Object.entries(published)) {
    const added = words.filter((word) => !known[kind].includes(word) && !notMeant.has(word));
    console.log(`New ${kind}: ${added.length === 0 ? 'none' : ''}`);
    for (const word of added) console.log(`  ${word}`);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function npm(...args) {
  const { stdout } = await run('npm', [...args, '--silent'], { cwd: folder });
  return stdout.trim();
}

/** Unpacks a package without its dependencies. Returns its folder. */
async function unpack(name, version) {
  const packed = await npm('pack', `${name}@${version}`);
  const target = join(folder, name.replace('@turnkey/', ''));
  await run('mkdir', [target]);
  await run('tar', ['xzf', join(folder, packed), '-C', target]);
  return target;
}
