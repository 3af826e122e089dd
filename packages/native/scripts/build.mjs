// Builds the addon. Without a compiler the service works as well, only slower: so a failure is told and does not fail the installation.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const sanitize = process.argv.includes('--sanitize');
const secrets = process.argv.includes('--secrets');
const directory = join(dirname(fileURLToPath(import.meta.url)), '..');
const prefix = join(dirname(process.execPath), '..');

// npm puts node-gyp on the path of its scripts. node's own headers mostly lie beside it: then nothing is downloaded.
const besides = existsSync(join(prefix, 'include', 'node', 'node_api.h')) ? [`--nodedir=${prefix}`] : [];
// The build with sanitizers lies beside the other. The program that `npm run native:secrets` runs is built besides the addon.
const commands = sanitize ? ['configure', 'build', '--debug'] : secrets ? ['configure', 'build'] : ['rebuild'];
const defines = sanitize ? 'sanitize=1' : secrets ? 'secrets=1' : undefined;
const { status, error, stderr } = spawnSync('node-gyp', [...commands, ...besides], {
  cwd: directory,
  env: defines === undefined ? process.env : { ...process.env, GYP_DEFINES: defines },
  encoding: 'utf8',
  shell: process.platform === 'win32',
});

if (status !== 0) {
  const reason = (error?.message ?? stderr.trim().split('\n').slice(-20).join('\n')) || `it ended with ${status}`;
  console.error(`@countersign/native was not built, so checks of signatures are slower:\n${reason}`);
  if (defines !== undefined) process.exitCode = 1;
}
