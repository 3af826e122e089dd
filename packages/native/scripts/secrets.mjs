// Signs under valgrind, to see whether a branch or an address depends on a secret, and then looks for what is left of the key on the stack.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const scripts = dirname(fileURLToPath(import.meta.url));
const program = join(scripts, '..', 'build', 'Release', 'secrets');

/** Runs a command and shows its output. Ends this process with 1 and the message where it fails. */
function run(command, args, message) {
  if (spawnSync(command, args, { stdio: 'inherit' }).status === 0) return;
  if (message !== undefined) console.error(message);
  process.exit(1);
}

if (spawnSync('valgrind', ['--version']).status !== 0) {
  console.error('valgrind is not installed. Install it (`apt-get install valgrind`) and run this again.');
  process.exit(1);
}
run(process.execPath, [join(scripts, 'build.mjs'), '--secrets']);
run(
  'valgrind',
  ['--quiet', '--error-exitcode=1', program],
  'This failed under valgrind: see above. What valgrind reports is a branch or an address that depends on a secret.',
);
run(program, [], 'Signing leaves something of the key on the stack: see above.');
console.log('No branch and no address depends on a secret, and nothing of the key is left on the stack.');
