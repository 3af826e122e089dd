import type { Fault } from '../fault.ts';
import { inRounds } from '../support/in-rounds.ts';
import { openPostgresPlace } from '../support/places.ts';

/** Longer than `--database-timeout-seconds`, so that requests are refused and not only slow. */
const FROZEN_MS = 8_000;

export const frozenPostgres: Fault = {
  name: 'frozen-postgres',
  title: 'PostgreSQL stopped for 8 s (SIGSTOP), then continued',
  stores: ['postgres'],
  rounds: 5,
  async run(stage) {
    const place = await openPostgresPlace();
    const { freeze, thaw } = place.server;
    return inRounds(stage, place, {}, (arena) => ({
      begin: freeze,
      lastsMs: FROZEN_MS,
      async end() {
        const { status } = await fetch(`${arena.url}/readyz`);
        if (status !== 503) arena.broken.others.push(`/readyz said ${status} while the database was frozen`);
        await thaw();
      },
    }));
  },
};
