import { randomBytes } from 'node:crypto';
import type { Bench } from './bench.ts';
import { cpuMicrosOf, descendantsOf } from './cpu-time.ts';
import { startLoops } from './loops/loops.ts';
import { describeMachine } from './machine.ts';
import { batchReport } from './report/batch-report.ts';
import { type ServerProcess, startServerProcess } from './server-process.ts';
import { Stamper } from './stamper.ts';
import { spreadOf } from './statistics.ts';

/** Payloads in one request. */
const PAYLOADS = 100;
const REQUESTS = 30;
const BARE_SECONDS = 0.4;
/** The JIT compiler counts calls per request, not per signature, so the warm-up needs many requests. */
const WARM_ROUNDS = 15;

/** Cost of one signature in a request with many, compared to bare signing. */
export const batch: Bench = {
  summary: 'sign_raw_payloads of 100, against signing alone',

  async run({ options, leftovers, progress }) {
    const machine = describeMachine(leftovers);
    const server = await startServerProcess(leftovers, 1);
    const loops = startLoops(leftovers, 'bare');
    const bare = () => loops.cpuMicros('bare sign', BARE_SECONDS);
    progress('warming up');
    await bare();
    for (let round = 0; round < WARM_ROUNDS; round++) await costOf(server);
    const rounds: { readonly micros: number; readonly bareMicros: number }[] = [];
    for (let round = 0; round < options.rounds; round++) {
      progress(`round ${round + 1} of ${options.rounds}`);
      const before = await bare();
      const micros = await costOf(server);
      rounds.push({ micros, bareMicros: (before + (await bare())) / 2 });
    }
    return batchReport({
      bench: 'batch',
      machine,
      payloads: PAYLOADS,
      rounds: options.rounds,
      cpuMicros: spreadOf(rounds.map(({ micros }) => micros)),
      bareMicros: spreadOf(rounds.map(({ bareMicros }) => bareMicros)),
      rateToBare: spreadOf(rounds.map(({ micros, bareMicros }) => bareMicros / micros)),
    });
  },
};

/** CPU microseconds of the service for one signature. */
async function costOf({ target, pid }: ServerProcess): Promise<number> {
  const stamper = new Stamper(target);
  const url = `http://${target.host}:${target.port}/public/v1/submit/sign_raw_payloads`;
  const requests = Array.from({ length: REQUESTS }, (_, index) => {
    const body = JSON.stringify({
      type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOADS',
      timestampMs: String(Date.now() + index),
      organizationId: target.organizationId,
      parameters: {
        signWith: target.privateKeyId,
        payloads: Array.from({ length: PAYLOADS }, () => randomBytes(32).toString('hex')),
        encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
        hashFunction: 'HASH_FUNCTION_SHA256',
      },
    });
    return { method: 'POST', body, headers: { 'Content-Type': 'application/json', 'X-Stamp': stamper.stamp(body) } };
  });
  const service = [pid, ...descendantsOf(pid)];
  const before = cpuMicrosOf(service);
  for (const request of requests) {
    const response = await fetch(url, request);
    const text = await response.text();
    if (response.status !== 200 || !text.includes('ACTIVITY_STATUS_COMPLETED'))
      throw new Error(`not signed: ${text.slice(0, 500)}`);
  }
  return (cpuMicrosOf(service) - before) / (REQUESTS * PAYLOADS);
}
