import { setTimeout as sleep } from 'node:timers/promises';

/** How often a request may be judged anew because its organization changed meanwhile. */
export const MAX_ATTEMPTS = 40;
/** From this attempt on the request waits its turn with those that change the organization, so that it cannot starve. */
export const PATIENT_ATTEMPTS = 3;

const LONGEST_PAUSE_MS = 50;

/**
 * Waits a moment before an attempt that comes after several lost ones. The turns of a process mean nothing to other nodes: those that
 * keep changing one organization at the same time get past each other only by chance, which random pauses give them.
 */
export async function pauseBefore(attempt: number): Promise<void> {
  if (attempt >= PATIENT_ATTEMPTS) await sleep(Math.random() * Math.min(LONGEST_PAUSE_MS, 2 ** attempt));
}
