import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again and again until the answer is yes, and says whether it came within `withinMs`. */
export async function waitUntil(withinMs: number, isTrue: () => boolean | Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}
