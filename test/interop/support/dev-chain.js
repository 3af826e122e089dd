import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

// Installed on 64-bit Linux only; elsewhere ANVIL names the program.
const command = process.env.ANVIL ?? fileURLToPath(new URL('../node_modules/.bin/anvil', import.meta.url));

/** A development chain of one node on a free port. */
export async function startChain() {
  const child = spawn(command, ['--port', '0', '--host', '127.0.0.1'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  for await (const line of createInterface(child.stdout)) {
    const [, address] = /^Listening on (\S+)/.exec(line) ?? [];
    if (address === undefined) continue;
    child.stdout.resume();
    return {
      url: `http://${address}`,
      async stop() {
        child.kill('SIGTERM');
        await ended;
      },
    };
  }
  throw new Error('the chain ended before it was ready');
}
