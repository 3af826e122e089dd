import { setTimeout as sleep } from 'node:timers/promises';

/** Polls until the answer is yes. Resolves to whether that happened within `withinMs`. */
export async function waitUntil(withinMs: number, isTrue: () => boolean | Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}
