import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from '../fault.ts';
import { inRounds } from '../support/in-rounds.ts';
import { openPlace } from '../support/places.ts';

const CLOCK_STEP = new URL('../../fault/support/clock-step.mjs', import.meta.url).href;
/** Within five minutes the service goes on; beyond that it keeps its own time and sounds an alarm. */
const FARTHEST_MS = 240_000;

/** The clock goes ahead and back at random. In every second round the service is killed too, and starts with the other time. */
export const clockSteps: Fault = {
  name: 'clock-steps',
  title: "the machine's clock steps by up to 4 min, forward or back; in every second round the service is also killed",
  stores: ['sqlite', 'postgres'],
  rounds: 10,
  async run(stage) {
    const place = await openPlace(stage.engine);
    const file = join(place.directory, 'clock-step');
    const environment = { NODE_OPTIONS: `--import ${CLOCK_STEP}`, CLOCK_STEP_FILE: file };
    const step = () => writeFileSync(file, String(Math.round((Math.random() - 0.5) * FARTHEST_MS)));
    return inRounds(stage, place, { environment }, (arena, round) => ({
      async begin() {
        step();
        if (round % 2 === 0) await arena.process.kill();
      },
      lastsMs: 200,
      async end() {
        step();
        if (round % 2 === 0) arena.launch();
      },
    }));
  },
};
