import type { Fault } from '../fault.ts';
import { inRounds } from '../support/in-rounds.ts';
import { openPlace } from '../support/places.ts';

/** As a supervisor does it: the service is started again at once, on the same port. */
export const killService: Fault = {
  name: 'kill-service',
  title: 'kill -9 of the service, restarted immediately',
  stores: ['sqlite', 'postgres'],
  rounds: 20,
  run: async (stage) =>
    inRounds(stage, await openPlace(stage.engine), {}, (arena) => ({
      begin: async () => void (await arena.process.kill()),
      lastsMs: 0,
      end: async () => arena.launch(),
    })),
};
