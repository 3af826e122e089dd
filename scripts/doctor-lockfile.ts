import { readFileSync } from 'node:fs';
import { type Binary, gaps, type Lockfile, linuxBinaries } from './lockfile/binaries.ts';
import { openRegistry, type Registry, RegistryError } from './lockfile/registry.ts';

const AT_ONCE = 4;

const HELP = `What to do: choose a version of the package they belong to whose binaries are published for Linux on x64 and on arm64
(npm view NAME versions), name it in package.json under "overrides", and make the lockfile anew:
  npm install --package-lock-only --ignore-scripts
Then run npm run doctor:lockfile again.`;

/** The problem of one binary, in one sentence; undefined if a fresh clone can install it. */
async function examine({ name, version, integrity }: Binary, registry: Registry): Promise<string | undefined> {
  const published = await registry.integrityOf(name, version);
  if (published === undefined) return `${name} ${version} is not in the registry.`;
  if (integrity === undefined) return `${name} ${version} has no integrity hash in the lockfile.`;
  return integrity === published
    ? undefined
    : `${name} ${version} has another integrity hash in the registry than in the lockfile.`;
}

/** Checks one lockfile, prints the problems and returns their number. */
async function check(file: string, registry: Registry): Promise<number> {
  const lockfile = JSON.parse(readFileSync(file, 'utf8')) as Lockfile;
  const problems = [...gaps(lockfile)];
  const notes: string[] = [];
  const binaries = linuxBinaries(lockfile);
  for (let start = 0; start < binaries.length; start += AT_ONCE) {
    const batch = binaries.slice(start, start + AT_ONCE);
    const found = await Promise.all(batch.map((binary) => examine(binary, registry)));
    for (const [index, sentence] of found.entries()) {
      if (sentence !== undefined) (batch[index]?.forGlibc ? problems : notes).push(sentence);
    }
  }
  console.log(`${file}: ${binaries.length} binaries for Linux on x64 and arm64, ${problems.length} problems`);
  for (const sentence of problems) console.error(`  ${sentence}`);
  for (const sentence of notes) console.log(`  only for musl, not counted: ${sentence}`);
  return problems.length;
}

const files = process.argv.slice(2);
const registry = openRegistry();
try {
  let problems = 0;
  for (const file of files.length > 0
    ? files
    : [
        'package-lock.json',
        'test/interop/package-lock.json',
        'test/wallet-kit/package-lock.json',
        'test/crypto/package-lock.json',
        'test/custody/package-lock.json',
      ]) {
    problems += await check(file, registry);
  }
  if (problems > 0) console.error(`\n${HELP}`);
  process.exitCode = problems === 0 ? 0 : 1;
} catch (error) {
  if (!(error instanceof RegistryError)) throw error;
  console.error(`The npm registry could not be asked, so the lockfiles are not checked: ${error.message}`);
  console.error('What to do: check the network and the settings that npm config list shows, then run this again.');
  process.exitCode = 2;
} finally {
  registry.close();
}
