// Builds the addon. A failed build does not fail the installation: the service works without the addon, only slower.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const sanitize = process.argv.includes('--sanitize');
const directory = join(dirname(fileURLToPath(import.meta.url)), '..');
const prefix = join(dirname(process.execPath), '..');
// Node's headers are usually installed with Node. Otherwise node-gyp downloads them.
const headers = existsSync(join(prefix, 'include', 'node', 'node_api.h')) ? [`--nodedir=${prefix}`] : [];

/** Whether the system has a libsecp256k1 that signs recoverably (0.2.0 is the first stable release). */
function hasSystemLibrary() {
  return spawnSync('pkg-config', ['--atleast-version=0.2.0', 'libsecp256k1']).status === 0;
}

/** Runs node-gyp, which npm adds to the path of its scripts. Returns the reason of a failure. */
function build(systemLibrary) {
  const commands = sanitize ? ['configure', 'build', '--debug'] : ['rebuild'];
  const defines = `sanitize=${sanitize ? 1 : 0} system_secp256k1=${systemLibrary ? 1 : 0}`;
  const { status, error, stderr } = spawnSync('node-gyp', [...commands, ...headers], {
    cwd: directory,
    env: { ...process.env, GYP_DEFINES: defines },
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status === 0) return undefined;
  return (error?.message ?? stderr.trim().split('\n').slice(-20).join('\n')) || `node-gyp ended with status ${status}`;
}

const systemLibrary = hasSystemLibrary();
let failure = build(systemLibrary);
// A system library without its recovery module must not prevent the build of the rest.
if (failure !== undefined && systemLibrary) failure = build(false);
if (failure !== undefined) {
  console.error(`@countersign/native was not built, so signature verification is slower:\n${failure}`);
  if (sanitize) process.exitCode = 1;
}
