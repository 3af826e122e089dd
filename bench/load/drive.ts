import { percentile } from '../statistics.ts';
import type { Connection } from './connection.ts';
import type { LoadWindow } from './messages.ts';
import type { StampedRequest } from './stamped-requests.ts';

/** A response that is kept and checked after the window. */
export interface Sample {
  readonly payload: Buffer;
  readonly body: string;
}

/** About how many responses of a window are kept. */
const SAMPLES = 20;

/** Every response must contain these. Samples are checked in full. */
const STATUS_LINE = 'HTTP/1.1 200 ';
const COMPLETED = '"status":"ACTIVITY_STATUS_COMPLETED"';

/**
 * Keeps every connection busy, one request after the other, until the time is up or no requests are left, then waits for the
 * requests in flight. Rejects with the first response that is not a completed activity.
 */
export function drive(
  connections: readonly Connection[],
  requests: readonly StampedRequest[],
  seconds: number,
): Promise<{ window: Omit<LoadWindow, 'verified'>; samples: readonly Sample[] }> {
  const latencies = new Float64Array(requests.length);
  const samples: Sample[] = [];
  const sampleEvery = Math.max(1, Math.floor(requests.length / (2 * SAMPLES)));
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const deadline = startedAt + seconds * 1000;
  let next = 0;
  let answered = 0;
  let busy = connections.length;

  return new Promise((resolve, reject) => {
    function finish(): void {
      const { user, system } = process.cpuUsage(cpuBefore);
      const elapsedMs = performance.now() - startedAt;
      const sorted = latencies.subarray(0, answered).sort();
      const window = {
        requests: answered,
        seconds: elapsedMs / 1000,
        p50Ms: percentile(sorted, 0.5),
        p99Ms: percentile(sorted, 0.99),
        loadCpuMicros: user + system,
      };
      resolve({ window, samples });
    }

    function proceed(connection: Connection): void {
      const sentAt = performance.now();
      const request = sentAt < deadline ? requests[next] : undefined;
      if (request === undefined) {
        busy -= 1;
        if (busy === 0) finish();
        return;
      }
      const index = next++;
      connection.send(request.bytes, (head, body) => {
        latencies[answered++] = performance.now() - sentAt;
        if (!head.startsWith(STATUS_LINE) || !body.includes(COMPLETED)) {
          reject(new Error(`a request was not completed:\n${head.split('\r\n')[0]}\n${body}`));
          return;
        }
        if (index % sampleEvery === 0 && samples.length < SAMPLES) samples.push({ payload: request.payload, body });
        proceed(connection);
      });
    }
    for (const connection of connections) proceed(connection);
  });
}
