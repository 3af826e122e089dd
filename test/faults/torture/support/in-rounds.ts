import type { Findings, Stage } from '../fault.ts';
import { Arena, type ArenaOptions, type Injection } from './arena.ts';
import type { OwnPlace } from './places.ts';

/** Causes one fault as often as the stage says, and checks after each. Removes the place. */
export async function inRounds(
  stage: Stage,
  place: OwnPlace,
  options: ArenaOptions,
  injection: (arena: Arena, round: number) => Injection,
): Promise<Findings> {
  let arena: Arena | undefined;
  try {
    arena = await Arena.open(place, options);
    for (let round = 1; round <= stage.rounds; round++) {
      await arena.round(injection(arena, round));
      stage.onRound?.(round);
    }
    return await arena.findings();
  } finally {
    await arena?.close();
    await place.remove();
  }
}
