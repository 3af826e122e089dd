import { setImmediate as nextTurn } from 'node:timers/promises';

/** Lets other requests go on. SECURITY: D146: long work must call this often, or one organization keeps all others waiting. */
export async function breathe(): Promise<void> {
  await nextTurn();
}
