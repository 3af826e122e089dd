// Builds the addon, and that of the npm package secp256k1 where the package has none for this platform. Downloads nothing.
// A failed build does not fail the installation: the service works without both, only slower.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const sanitize = process.argv.includes('--sanitize');
const directory = join(dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);

/** The folder whose `include/node` has Node's headers. They are usually installed with Node. node-gyp would download them. */
const prefix = [process.env.npm_config_nodedir, join(dirname(process.execPath), '..')].find(
  (folder) => folder !== undefined && existsSync(join(folder, 'include', 'node', 'node_api.h')),
);

const runs = (command, ...args) =>
  spawnSync(command, args, { stdio: 'ignore', shell: process.platform === 'win32' }).status === 0;

/** What the machine lacks for a build. */
function missingTools() {
  if (prefix === undefined) return ['the headers of Node.js'];
  if (process.platform === 'win32') return [];
  const tools = [process.env.CC ?? 'cc', process.env.CXX ?? 'c++', 'make', 'python3'];
  return tools.filter((tool) => !runs(tool, '--version'));
}

/** Whether the system has a libsecp256k1 that signs recoverably (0.2.0 is the first stable release). */
const hasSystemLibrary = () => runs('pkg-config', '--atleast-version=0.2.0', 'libsecp256k1');

/** Runs node-gyp, which npm adds to the path of its scripts. Returns the reason of a failure. */
function gyp(cwd, commands, defines = '') {
  const { status, error, stderr } = spawnSync('node-gyp', [...commands, `--nodedir=${prefix}`], {
    cwd,
    env: { JOBS: 'max', ...process.env, GYP_DEFINES: defines },
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status === 0) return undefined;
  return (error?.message ?? stderr.trim().split('\n').slice(-20).join('\n')) || `node-gyp ended with status ${status}`;
}

function buildAddon() {
  const commands = ['configure', 'build', ...(sanitize ? ['--debug'] : [])];
  const build = (systemLibrary) =>
    gyp(directory, commands, `sanitize=${sanitize ? 1 : 0} system_secp256k1=${systemLibrary ? 1 : 0}`);
  const systemLibrary = hasSystemLibrary();
  const failure = build(systemLibrary);
  // A system library without its recovery module must not prevent the build of the rest.
  return failure !== undefined && systemLibrary ? build(false) : failure;
}

/** Its package has binaries for Linux on x64, but not on arm64. */
function buildSigner() {
  try {
    require('secp256k1/bindings.js');
    return undefined;
  } catch {
    return gyp(dirname(require.resolve('secp256k1/package.json')), ['rebuild']);
  }
}

const missing = missingTools();
const failures =
  missing.length > 0
    ? [`${missing.join(', ')} not found. To build it, install what is missing and run: npm rebuild @countersign/native`]
    : [buildAddon(), sanitize ? undefined : buildSigner()].filter((failure) => failure !== undefined);
for (const failure of failures) console.error(`@countersign/native was not built, so signatures are slower: ${failure}`);
if (sanitize && failures.length > 0) process.exitCode = 1;
