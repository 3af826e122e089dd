import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../fault.ts';
import { Arena } from '../support/arena.ts';
import { PostgresPair } from '../support/postgres-pair.ts';

/** The service knows both addresses and finds the one that takes writes. Between two rounds a new standby is built. */
export const failOver: Fault = {
  name: 'fail-over',
  title: 'kill -9 of the primary PostgreSQL, a synchronous standby takes over',
  stores: ['postgres'],
  rounds: 3,
  async run(stage) {
    const pair = await PostgresPair.start();
    let arena: Arena | undefined;
    try {
      await pair.addStandby({ synchronous: true });
      arena = await Arena.open(pair.place);
      for (let round = 1; round <= stage.rounds; round++) {
        if (round > 1) await pair.addStandby({ synchronous: true });
        await arena.round({ begin: () => pair.crash(), lastsMs: 1_000, end: () => pair.promote() });
        stage.onRound?.(round);
      }
      return await arena.findings();
    } finally {
      await arena?.close();
      await pair.place.remove();
    }
  },
};

/** Nothing may be read from a standby: what it knows may be old, such as a key that was removed since. */
export const standby: Fault = {
  name: 'standby',
  title: 'the service finds only a read-only standby for 3 s',
  stores: ['postgres'],
  rounds: 5,
  async run(stage) {
    const pair = await PostgresPair.start();
    let arena: Arena | undefined;
    try {
      await pair.addStandby({ synchronous: true });
      const running = await Arena.open(pair.place);
      arena = running;
      const root = running.root();
      for (let round = 1; round <= stage.rounds; round++) {
        await running.round({
          async begin() {
            pair.hidePrimary();
            await sleep(200);
          },
          lastsMs: 3_000,
          async end() {
            const [read, ready] = await Promise.all([root.query('whoami'), fetch(`${running.url}/readyz`)]);
            if (read.status !== 503) running.broken.others.push(`a query was answered from a standby with ${read.status}`);
            if (ready.status !== 503) running.broken.others.push(`/readyz said ${ready.status} on a standby`);
            pair.showPrimary();
          },
        });
        stage.onRound?.(round);
      }
      return await running.findings();
    } finally {
      await arena?.close();
      await pair.place.remove();
    }
  },
};
