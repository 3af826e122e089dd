import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { encodeStamp, stampFields } from './api-key.ts';
import type { Caller } from './caller.ts';
import type { RawDatabase } from './raw-database.ts';

/** The cost of one request to a service in this process, on both sides of the connection. */
export interface OperationCost {
  readonly status: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** The beginning of the response, to show why a request was rejected. */
  readonly excerpt: string;
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

/** Stored rows count once they have not changed for this long: the log and other background work write later. */
const QUIET_MS = 100;
const MAX_CHECKS = 100;

const agent = new Agent({ keepAlive: true });

/** Sends a request several times and reports its median cost. The first one is not counted. */
export async function measureOperation(raw: RawDatabase, measured: MeasuredRequest, runs = 3): Promise<OperationCost> {
  await stampRequest(measured)();
  return measureRequests(
    raw,
    Array.from({ length: 2 * runs }, () => stampRequest(measured)),
  );
}

/** Sends each request once and reports the median cost. The second half of them is used to observe turns. */
export async function measureRequests(raw: RawDatabase, requests: readonly StampedRequest[]): Promise<OperationCost> {
  const runs = Math.ceil(requests.length / 2);
  const costs: { readonly cpuMs: number; readonly answer: Exchanged }[] = [];
  const storedBefore = await storedWhenQuiet(raw);
  for (const send of requests.slice(0, runs)) {
    const since = process.cpuUsage();
    const answer = await send();
    costs.push({ cpuMs: cpuMsSince(since), answer });
  }
  const storedBytes = Math.round(((await storedWhenQuiet(raw)) - storedBefore) / runs);
  const turns: number[] = [];
  for (const send of requests.slice(runs)) turns.push(await longestTurnOf(send));
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

/** What the service answered, and the bytes on the wire. */
export interface Exchanged {
  readonly status: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** The beginning of the response, to show why a request was rejected. */
  readonly excerpt: string;
}

/** Sends a request whose body and stamp exist already, so that sending costs little. */
export type StampedRequest = () => Promise<Exchanged>;

export function stampRequest({ caller, path, body }: MeasuredRequest): StampedRequest {
  const bytes = Buffer.from(body());
  const headers = { 'content-type': 'application/json', 'x-stamp': encodeStamp(stampFields(caller.key, bytes)) };
  return () =>
    new Promise((resolve, reject) => {
      const sent = request(caller.url + path, { method: 'POST', agent, headers }, (response) => {
        let responseBytes = 0;
        let excerpt = '';
        response.on('data', (chunk: Buffer) => {
          if (responseBytes === 0) excerpt = chunk.toString('utf8', 0, 400);
          responseBytes += chunk.length;
        });
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, requestBytes: bytes.length, responseBytes, excerpt }),
        );
      });
      sent.on('error', reject);
      sent.end(bytes);
    });
}

/** What was counted last, by the version of the data. Counting reads all rows. */
const counted = new WeakMap<RawDatabase, { readonly version: number; readonly bytes: number }>();

/** The stored bytes after background work has ended. */
async function storedWhenQuiet(raw: RawDatabase): Promise<number> {
  let version = await dataVersion(raw);
  for (let check = 0; check < MAX_CHECKS; check += 1) {
    await pause(QUIET_MS);
    const now = await dataVersion(raw);
    const isQuiet = now === version && Number((await raw.all('SELECT count(*) AS n FROM log_queue'))[0]?.n) === 0;
    if (isQuiet) break;
    version = now;
  }
  const before = counted.get(raw);
  if (before?.version === version) return before.bytes;
  const bytes = await storedBytesOf(raw);
  counted.set(raw, { version, bytes });
  return bytes;
}

/** Changes with every commit of another connection. */
async function dataVersion(raw: RawDatabase): Promise<number> {
  return Number((await raw.all('PRAGMA data_version'))[0]?.data_version);
}

/** Bytes of all rows of an SQLite database, without indexes: texts and blobs by length, numbers as 8. */
async function storedBytesOf(raw: RawDatabase): Promise<number> {
  let sum = 0;
  const named = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
  for (const { name } of await raw.all(named)) {
    const columns = await raw.all(`SELECT name FROM pragma_table_info('${name}')`);
    const bytes = columns.map(
      (column) => `CASE typeof(${column.name}) WHEN 'integer' THEN 8 ELSE octet_length(${column.name}) END`,
    );
    const [row] = await raw.all(`SELECT coalesce(sum(${bytes.join(' + ')}), 0) AS bytes FROM ${name}`);
    sum += Number(row?.bytes ?? 0);
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
