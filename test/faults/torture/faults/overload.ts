import { readFileSync } from 'node:fs';
import { encodeStamp, stampFields } from '../../../support/api-key.ts';
import type { Attempt } from '../../fault/support/history.ts';
import type { Fault } from '../fault.ts';
import { Arena } from '../support/arena.ts';
import { fire } from '../support/open-loop.ts';
import type { Fired } from '../support/open-loop-process.ts';
import { openPlace } from '../support/places.ts';

const SECONDS = 4;
const TIMES = 5;
/** Below what one address may have. */
const CONNECTIONS = 900;
/** As many as the machine of a test can send in a second. */
const MOST = 3_000;
/** A request is served as before. */
const QUICK_MS = 200;

/** First the peak is measured, then five times as many requests come in a second, whether or not earlier ones were answered. */
export const overload: Fault = {
  name: 'overload',
  title: 'five times the capacity of the server, for 4 s',
  stores: ['sqlite', 'postgres'],
  rounds: 3,
  async run(stage) {
    const place = await openPlace(stage.engine);
    let arena: Arena | undefined;
    try {
      const running = await Arena.open(place);
      arena = running;
      for (let round = 1; round <= stage.rounds; round++) {
        const calm = await volley(running, MOST * SECONDS, { connections: 64 });
        const peak = calm.served / SECONDS;
        const perSecond = Math.round(peak * TIMES);
        let mostMb = 0;
        const watch = setInterval(() => {
          mostMb = Math.max(mostMb, residentMb(running.process.pid));
        }, 100);
        const storm = await volley(running, perSecond * SECONDS, { connections: CONNECTIONS, perSecond });
        clearInterval(watch);
        const recoveryMs = await untilQuick(running);
        const { statuses } = storm;
        const share = Math.round((100 * storm.served) / (peak * SECONDS));
        const refused = `${statuses[429] ?? 0} answered 429, ${statuses[503] ?? 0} answered 503, ${statuses[0] ?? 0} without a response, ${storm.kept} without a free connection of ${CONNECTIONS}`;
        running.notes.push(
          `peak ${Math.round(peak)} per second; ${perSecond} per second offered: goodput ${share} % of the peak, ${refused}, at most ${Math.round(mostMb)} MB`,
        );
        running.times.push({ recoveryMs, ...(storm.firstRefusalMs !== undefined && { firstRefusalMs: storm.firstRefusalMs }) });
        await running.checkStored();
        stage.onRound?.(round);
      }
      return await running.findings();
    } finally {
      await arena?.close();
      await place.remove();
    }
  },
};

interface Outcome {
  /** Answered with success while requests came in. */
  readonly served: number;
  /** Not sent, because no connection was free. */
  readonly kept: number;
  readonly statuses: Readonly<Record<number, number>>;
  readonly firstRefusalMs?: number;
}

/** Sends so many new signing requests, and takes note of what became of each. */
async function volley(
  arena: Arena,
  count: number,
  how: { readonly connections: number; readonly perSecond?: number },
): Promise<Outcome> {
  const { history, url } = arena;
  const attempts = Array.from({ length: count }, () => history.add(arena.signing()));
  const requests = attempts.map(({ caller, name, body }) => ({
    path: caller.submitPath(name),
    body,
    stamp: encodeStamp(stampFields(caller.key, Buffer.from(body))),
  }));
  const { fired, endedAtMs, lastedMs } = await fire({ url, requests, seconds: SECONDS, ...how });
  const beganMs = performance.now() - (Date.now() - endedAtMs) - lastedMs;
  const statuses: Record<number, number> = {};
  for (const one of fired) {
    statuses[one.status] = (statuses[one.status] ?? 0) + 1;
    const attempt = attempts[one.index] as Attempt;
    note(attempt, one);
    const endMs = beganMs + one.endedMs;
    history.see(attempt, { sentMs: endMs - one.tookMs, endMs, status: one.status });
  }
  const sent = new Set(fired.map(({ index }) => attempts[index]));
  history.forget(attempts.filter((attempt) => !sent.has(attempt)));
  const served = fired.filter(({ status, endedMs }) => status === 200 && endedMs <= SECONDS * 1000).length;
  const refusals = fired.filter(({ status }) => status !== 200).map(({ endedMs }) => endedMs);
  const kept = count - fired.length;
  return { served, statuses, kept, ...(refusals.length > 0 && { firstRefusalMs: Math.min(...refusals) }) };
}

/** A 429 says that nothing was done. After a 503, or without an answer, nobody knows. */
function note(attempt: Attempt, { status, activityId, activityStatus }: Fired): void {
  attempt.outcome = status === 200 ? 'ok' : status === 429 ? 'refused' : 'unknown';
  if (activityId !== undefined) attempt.activityId = activityId;
  if (activityStatus !== undefined) attempt.status = activityStatus;
}

async function untilQuick(arena: Arena): Promise<number> {
  const beganMs = performance.now();
  for (;;) {
    const attempt = arena.history.add(arena.signing());
    const sentMs = performance.now();
    const answer = await arena.history.send(attempt, arena.url);
    if (answer?.status === 200 && performance.now() - sentMs < QUICK_MS) return performance.now() - beganMs;
  }
}

function residentMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1000;
}
