import { setTimeout as sleep } from 'node:timers/promises';
import { cpuNanosOf, descendantsOf } from '../cpu-time.ts';
import { spreadOf } from '../statistics.ts';
import type { Operation } from './operations.ts';

/** Where requests are sent, and whose CPU time they take. */
export interface Service {
  readonly url: string;
  readonly pid: number;
}

/** What one request took. */
export interface Cost {
  /** CPU time of the service, with what it does afterwards to log the activity. */
  readonly cpuMs: number;
  /** Until the client has read the answer. */
  readonly ms: number;
}

const LEAST_REQUESTS = 5;
/** How long the service may take to log the activities of a window. */
const LOG_MS = 30_000;
const LOG_POLL_MS = 100;

/** Sends the same request one after the other for this long, and takes it back. */
export async function measure({ url, pid }: Service, operation: Operation, unique: string, leastMs: number): Promise<Cost> {
  const { isLogged, send, undo } = operation;
  // Answers are kept for each state of an organization. The first one after a change is longer to make, and is not what is measured.
  if (!isLogged) await send(`${unique} first`);
  const logged = isLogged ? await logSize(url) : 0;
  const service = [pid, ...descendantsOf(pid)];
  const before = cpuNanosOf(service);
  const startedAt = performance.now();
  const times: number[] = [];
  for (let sentAt = startedAt; times.length < LEAST_REQUESTS || sentAt - startedAt < leastMs; sentAt = performance.now()) {
    await send(`${unique} ${times.length}`);
    times.push(performance.now() - sentAt);
  }
  // Logging is part of the cost. Without the wait, the next window would pay for it.
  if (isLogged) await untilLogged(url, logged + times.length);
  const cpuMs = (cpuNanosOf(service) - before) / 1e6 / times.length;
  const undone = await undo();
  if (undone > 0) await untilLogged(url, logged + times.length + undone);
  return { cpuMs, ms: spreadOf(times).median };
}

/** The number of leaves in the newest checkpoint: its second line (C2SP tlog-checkpoint). */
async function logSize(url: string): Promise<number> {
  const response = await fetch(`${url}/log/checkpoint`);
  const text = await response.text();
  if (!response.ok) throw new Error(`the checkpoint of the log: ${text}`);
  return Number(text.split('\n')[1]);
}

async function untilLogged(url: string, size: number): Promise<void> {
  const deadline = performance.now() + LOG_MS;
  while ((await logSize(url)) < size) {
    if (performance.now() > deadline) throw new Error(`the log did not come to ${size} leaves within ${LOG_MS / 1000} seconds`);
    await sleep(LOG_POLL_MS);
  }
}
