import { bareLoops } from './bare.ts';
import { chainLoops } from './chains.ts';
import { type FloorInputs, floorLoops } from './floors.ts';
import type { Loop, LoopAnswer, LoopQuestion } from './loop.ts';

/** The sets of loops. The first argument of this process names one, the second one is what it is made from. */
const sets: Readonly<Record<string, (inputs: string) => readonly Loop[] | Promise<readonly Loop[]>>> = {
  bare: bareLoops,
  chains: chainLoops,
  floors: (inputs) => floorLoops(JSON.parse(inputs) as FloorInputs),
};

const [set = '', inputs = ''] = process.argv.slice(2);
const loops = new Map(((await sets[set]?.(inputs)) ?? []).map((loop) => [loop.name, loop]));

/** Repeats a loop for a time and measures its CPU time, including garbage collection. */
function measure({ name, seconds }: LoopQuestion): LoopAnswer {
  const loop = loops.get(name);
  if (loop === undefined) return { kind: 'failed', message: `there is no loop ${name}` };
  const before = process.cpuUsage();
  const deadline = performance.now() + seconds * 1000;
  let operations = 0;
  while (performance.now() < deadline) {
    for (let count = 0; count < 16; count++) loop.once(operations++);
  }
  const { user, system } = process.cpuUsage(before);
  return { kind: 'measured', operations, cpuMicros: user + system };
}

process.on('message', (question: LoopQuestion) => {
  try {
    process.send?.(measure(question));
  } catch (error) {
    process.send?.({ kind: 'failed', message: `${question.name}: ${String(error)}` } satisfies LoopAnswer);
  }
});
// Ctrl-C reaches the whole process group, but the benchmark decides when this process ends.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit(0));
