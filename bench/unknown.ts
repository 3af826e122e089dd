import { createECDH, randomUUID } from 'node:crypto';
import type { Bench } from './bench.ts';
import { describeMachine } from './machine.ts';
import { startServerProcess } from './server-process.ts';
import { Stamper } from './stamper.ts';
import { rankTest, type Spread, spreadOf } from './statistics.ts';

/** Interleaved pairs of requests in one round. */
const PAIRS = 400;
const WARM_PAIRS = 200;

/** Requests that a stranger can send, without an organization. */
const requests = {
  'submit/create_wallet': { type: 'ACTIVITY_TYPE_CREATE_WALLET', parameters: { walletName: 'W', accounts: [] } },
  'query/list_users': {},
  'query/whoami': {},
} as const;

/**
 * Whether the response time reveals that an organization exists: a stranger's key, a known and an unknown organization in random order, and
 * the p-value of a rank test. Above 0.01 the samples do not differ.
 */
export const unknown: Bench = {
  summary: 'response times for known and unknown organizations',

  async run({ options, leftovers, progress }) {
    const machine = describeMachine(leftovers);
    const { target } = await startServerProcess(leftovers, 1, undefined, ['--failed-stamps-per-address', '0']);
    const stamper = newStranger();
    const microsOf = async (path: keyof typeof requests, organizationId: string) => {
      const body = JSON.stringify({ ...requests[path], organizationId, timestampMs: String(Date.now()) });
      const headers = { 'Content-Type': 'application/json', 'X-Stamp': stamper.stamp(body) };
      const startMs = performance.now();
      const response = await fetch(`http://${target.host}:${target.port}/public/v1/${path}`, { method: 'POST', body, headers });
      await response.text();
      const micros = (performance.now() - startMs) * 1000;
      if (response.status !== 401) throw new Error(`status ${response.status} instead of 401`);
      return micros;
    };
    const results: { path: string; known: Spread; unknown: Spread; p: number }[] = [];
    for (const path of Object.keys(requests) as (keyof typeof requests)[]) {
      const samples = { known: [] as number[], unknown: [] as number[] };
      const total = WARM_PAIRS + PAIRS * options.rounds;
      for (let pair = 0; pair < total; pair++) {
        if (pair % 100 === 0) progress(`${path}: ${pair} of ${total}`);
        const order = Math.random() < 0.5 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const);
        for (const kind of order) {
          const micros = await microsOf(path, kind === 'known' ? target.organizationId : randomUUID());
          if (pair >= WARM_PAIRS) samples[kind].push(micros);
        }
      }
      const { known, unknown: absent } = samples;
      results.push({ path, known: spreadOf(known), unknown: spreadOf(absent), p: rankTest(known, absent) });
    }
    const micros = (value: number) => value.toFixed(0).padStart(8);
    return {
      json: { bench: 'unknown', machine, pairs: PAIRS * options.rounds, results },
      text: () =>
        [
          `${'request'.padEnd(24)}   known   unknown  p (medians in µs)`,
          ...results.map(
            ({ path, known, unknown: absent, p }) =>
              `${path.padEnd(24)}${micros(known.median)}${micros(absent.median)}  ${p.toExponential(1)}`,
          ),
        ].join('\n'),
    };
  },
};

function newStranger(): Stamper {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  return new Stamper({
    apiPublicKey: pair.getPublicKey('hex', 'compressed'),
    apiPrivateKey: pair.getPrivateKey('hex').padStart(64, '0'),
  });
}
