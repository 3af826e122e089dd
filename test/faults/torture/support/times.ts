import type { Times } from '../fault.ts';
import { isServed, type Sighting } from './timed-history.ts';

/** Measures one round from what its clients saw. The fault came at `beganMs`, and its cause was gone at `goneMs`. */
export function timesOf(sightings: readonly Sighting[], beganMs: number, goneMs: number): Times {
  const refusals = sightings.filter(({ status, endMs }) => isRefusal(status) && endMs >= beganMs);
  const firstRefusal = Math.min(...refusals.map(({ endMs }) => endMs));
  const served = sightings.filter(({ status }) => isServed(status)).map(({ endMs }) => endMs);
  served.sort((a, b) => a - b);
  const back = served.find((atMs) => atMs >= goneMs);
  let [gap, before] = [0, served.findLast((atMs) => atMs <= beganMs) ?? beganMs];
  for (const atMs of served) {
    if (atMs <= before || atMs > (back ?? Number.POSITIVE_INFINITY)) continue;
    gap = Math.max(gap, atMs - before);
    before = atMs;
  }
  return {
    ...(refusals.length > 0 && { firstRefusalMs: firstRefusal - beganMs }),
    ...(back !== undefined && { withoutServiceMs: gap, recoveryMs: back - goneMs }),
  };
}

/** Not served for lack of the service, rather than for what was asked. */
function isRefusal(status: number): boolean {
  return status === 0 || status === 429 || status >= 500;
}
