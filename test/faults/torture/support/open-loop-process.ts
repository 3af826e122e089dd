import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Requests of one path, with their stamps. */
export interface Volley {
  readonly url: string;
  readonly requests: readonly { readonly path: string; readonly body: string; readonly stamp: string }[];
  /** Absent: each connection sends the next after its answer, for `seconds`. */
  readonly perSecond?: number;
  readonly connections: number;
  readonly seconds: number;
}

/** What became of a request that was sent. Status 0: no answer. */
export interface Fired {
  readonly index: number;
  readonly status: number;
  readonly tookMs: number;
  /** When it ended, counted from the first of all. */
  readonly endedMs: number;
  readonly activityId?: string;
  readonly activityStatus?: string;
}

/** What became of a volley. */
export interface Fire {
  /** When it was over, by the clock of the machine, and how long it took. */
  readonly endedAtMs: number;
  readonly lastedMs: number;
  readonly fired: readonly Fired[];
}

const PATIENCE_MS = 10_000;

async function fireAll({ url, requests, perSecond, connections, seconds }: Volley): Promise<Fire> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const fired: Fired[] = [];
  const open = new Set<number>();
  const beganMs = performance.now();
  const endsAt = beganMs + seconds * 1000;
  const send = (index: number) =>
    new Promise<void>((resolve) => {
      const { path, body, stamp } = requests[index] as Volley['requests'][number];
      const startedMs = performance.now();
      open.add(index);
      const end = (status: number, text = '') => {
        const [, activityId] = /"activity":\{"id":"([^"]+)"/.exec(text) ?? [];
        const [, activityStatus] = /"status":"(ACTIVITY_STATUS_[A-Z_]+)"/.exec(text) ?? [];
        const known = activityId !== undefined && activityStatus !== undefined && { activityId, activityStatus };
        const nowMs = performance.now();
        if (!open.delete(index)) return;
        fired.push({ index, status, tookMs: nowMs - startedMs, endedMs: nowMs - beganMs, ...known });
        resolve();
      };
      const headers = { 'content-type': 'application/json', 'x-stamp': stamp, 'content-length': Buffer.byteLength(body) };
      const sent = request(url + path, { method: 'POST', agent, headers }, (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
        answer.on('end', () => end(answer.statusCode ?? 0, answer.statusCode === 200 ? text : ''));
        answer.on('error', () => end(0));
      });
      sent.on('error', () => end(0));
      sent.end(body);
    });

  let next = 0;
  if (perSecond === undefined) {
    const run = async () => {
      while (performance.now() < endsAt && next < requests.length) await send(next++);
    };
    await Promise.all(Array.from({ length: connections }, run));
  } else {
    const underWay = new Set<Promise<void>>();
    while (performance.now() < endsAt) {
      const due = Math.min(requests.length, Math.floor(((performance.now() - beganMs) / 1000) * perSecond));
      // Whoever finds no connection gives up: it never reaches the service.
      for (; next < due; next++) {
        if (underWay.size >= connections) continue;
        const work: Promise<void> = send(next).finally(() => underWay.delete(work));
        underWay.add(work);
      }
      await sleep(5);
    }
    await Promise.race([Promise.all(underWay), sleep(PATIENCE_MS)]);
  }
  // Nobody waits for these any more. Whether they were carried out is for the database to say.
  const lastedMs = performance.now() - beganMs;
  for (const index of open) fired.push({ index, status: 0, tookMs: lastedMs, endedMs: lastedMs });
  open.clear();
  agent.destroy();
  return { endedAtMs: Date.now(), lastedMs, fired };
}

process.once('message', (volley: Volley) => {
  fireAll(volley).then((fire) => process.send?.(fire));
});
process.on('disconnect', () => process.exit(0));
