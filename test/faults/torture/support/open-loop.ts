import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Fire, Volley } from './open-loop-process.ts';

const PROCESS = fileURLToPath(new URL('open-loop-process.ts', import.meta.url));

/** Sends requests at a steady rate from a process of its own, whether or not earlier ones are answered. */
export async function fire(volley: Volley): Promise<Fire> {
  const child = fork(PROCESS, { execArgv: ['--import', 'tsx'], serialization: 'advanced' });
  try {
    return await new Promise((resolve, reject) => {
      child.once('message', resolve).once('error', reject);
      child.once('exit', (code) => reject(new Error(`the sender ended with ${code}`)));
      child.send(volley);
    });
  } finally {
    child.kill();
  }
}
