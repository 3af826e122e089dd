// Builds the addon. Without a compiler the service works as well, only slower: so a failure is told and does not fail the installation.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const sanitize = process.argv.includes('--sanitize');
const directory = join(dirname(fileURLToPath(import.meta.url)), '..');
const prefix = join(dirname(process.execPath), '..');

// npm puts node-gyp on the path of its scripts. node's own headers mostly lie beside it: then nothing is downloaded.
const besides = existsSync(join(prefix, 'include', 'node', 'node_api.h')) ? [`--nodedir=${prefix}`] : [];
// The build for tests lies beside the other.
const commands = sanitize ? ['configure', 'build', '--debug'] : ['rebuild'];
const { status, error, stderr } = spawnSync('node-gyp', [...commands, ...besides], {
  cwd: directory,
  env: sanitize ? { ...process.env, GYP_DEFINES: 'sanitize=1' } : process.env,
  encoding: 'utf8',
  shell: process.platform === 'win32',
});

if (status !== 0) {
  const reason = (error?.message ?? stderr.trim().split('\n').slice(-20).join('\n')) || `it ended with ${status}`;
  console.error(`@countersign/native was not built, so checks of signatures are slower:\n${reason}`);
  if (sanitize) process.exitCode = 1;
}
