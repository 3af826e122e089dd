import type { Fault } from '../fault.ts';
import { inRounds } from '../support/in-rounds.ts';
import { openPostgresPlace } from '../support/places.ts';

export const killPostgres: Fault = {
  name: 'kill-postgres',
  title: 'kill -9 of PostgreSQL, restarted after a second',
  stores: ['postgres'],
  rounds: 10,
  async run(stage) {
    const place = await openPostgresPlace();
    const { crash, restart } = place.server;
    return inRounds(stage, place, {}, () => ({ begin: crash, lastsMs: 1_000, end: restart }));
  },
};
