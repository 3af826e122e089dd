import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { encodeStamp, stampFields } from './api-key.ts';
import type { Caller } from './caller.ts';
import { type RawDatabase, tables } from './raw-database.ts';

/** The cost of one request to a service in this process, on both sides of the connection. */
export interface OperationCost {
  readonly status: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** CPU time of the process from the request to the response. The client takes about half a millisecond of it. */
  readonly cpuMs: number;
  /** CPU time of the longest turn of the event loop. */
  readonly longestTurnMs: number;
  /** Growth of all stored rows, including the log. */
  readonly storedBytes: number;
}

/** A request to measure. `body` returns another body each time, because equal bodies are replays. */
export interface MeasuredRequest {
  readonly caller: Caller;
  readonly path: string;
  body(): string;
}

/** Time for the log and other background work to store its rows. */
const SETTLE_MS = 400;

const agent = new Agent({ keepAlive: true });

/** Sends a request several times and reports its median cost. The first one is not counted. */
export async function measureOperation(raw: RawDatabase, measured: MeasuredRequest, runs = 3): Promise<OperationCost> {
  await exchange(measured);
  const costs: { readonly cpuMs: number; readonly answer: Exchanged }[] = [];
  await pause(SETTLE_MS);
  const storedBefore = await storedBytesOf(raw);
  for (let run = 0; run < runs; run += 1) {
    const since = process.cpuUsage();
    const answer = await exchange(measured);
    costs.push({ cpuMs: cpuMsSince(since), answer });
  }
  await pause(SETTLE_MS);
  const storedBytes = Math.round(((await storedBytesOf(raw)) - storedBefore) / runs);
  const turns: number[] = [];
  for (let run = 0; run < runs; run += 1) turns.push(await longestTurnOf(() => exchange(measured)));
  const { answer } = costs[0] as (typeof costs)[0];
  return { ...answer, cpuMs: median(costs.map(({ cpuMs }) => cpuMs)), longestTurnMs: median(turns), storedBytes };
}

/** The CPU time of the longest turn while some work runs. Observing makes the loop spin, so measure other costs separately. */
export async function longestTurnOf(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let since = process.cpuUsage();
  let isOver = false;
  const observe = () => {
    longest = Math.max(longest, cpuMsSince(since));
    since = process.cpuUsage();
    if (!isOver) setImmediate(observe);
  };
  setImmediate(observe);
  try {
    await work();
  } finally {
    isOver = true;
  }
  return longest;
}

interface Exchanged {
  readonly status: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
}

function exchange({ caller, path, body }: MeasuredRequest): Promise<Exchanged> {
  const bytes = Buffer.from(body());
  const headers = { 'content-type': 'application/json', 'x-stamp': encodeStamp(stampFields(caller.key, bytes)) };
  return new Promise((resolve, reject) => {
    const sent = request(caller.url + path, { method: 'POST', agent, headers }, (response) => {
      let responseBytes = 0;
      response.on('data', (chunk: Buffer) => {
        responseBytes += chunk.length;
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, requestBytes: bytes.length, responseBytes }));
    });
    sent.on('error', reject);
    sent.end(bytes);
  });
}

/** Characters and bytes of all rows. */
async function storedBytesOf(raw: RawDatabase): Promise<number> {
  let sum = 0;
  for (const table of [...tables, 'log_queue', 'log_leaves']) {
    for (const row of await raw.all(`SELECT * FROM ${table}`))
      for (const cell of Object.values(row)) sum += typeof cell === 'string' || cell instanceof Uint8Array ? cell.length : 8;
  }
  return sum;
}

function cpuMsSince(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
