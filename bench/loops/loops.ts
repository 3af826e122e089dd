import { ask } from '../conversation.ts';
import type { Leftovers } from '../leftovers.ts';
import type { FloorInputs } from './floors.ts';
import type { LoopAnswer, LoopQuestion } from './loop.ts';

/** Loops in their own process. */
export interface Loops {
  /** CPU microseconds of one operation, measured over a time of tight repetition. */
  cpuMicros(name: string, seconds: number): Promise<number>;
}

/** Starts the process of one set of loops. */
export function startLoops(leftovers: Leftovers, set: 'bare' | 'chains'): Loops;
export function startLoops(leftovers: Leftovers, set: 'floors', inputs: FloorInputs): Loops;
export function startLoops(leftovers: Leftovers, set: string, inputs: object = {}): Loops {
  const child = leftovers.fork('./loops/loop-process.ts', [set, JSON.stringify(inputs)]);
  return {
    async cpuMicros(name, seconds) {
      const answer = await ask<LoopAnswer>(child, { name, seconds } satisfies LoopQuestion);
      return answer.cpuMicros / answer.operations;
    },
  };
}
