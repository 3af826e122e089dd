import type { ChildProcess } from 'node:child_process';
import { create } from 'node:domain';

/**
 * Starts a child, and kills it if what it sends to this process cannot be read.
 * SECURITY: D662: Node throws on a message that is not JSON or is longer than a string, in a callback of its own that only a domain can
 * guard. The error would end this process, and with it all workers.
 */
export function guardChannel(start: () => ChildProcess, report: (error: unknown) => void): ChildProcess {
  const guard = create();
  const child = guard.run(start);
  guard.on('error', (error: unknown) => {
    report(error);
    child.kill('SIGKILL');
  });
  return child;
}
