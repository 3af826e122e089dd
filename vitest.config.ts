import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

const conditions = ['@countersign/source'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    globalSetup: ['test/support/run-setup.ts'],
    include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    // Much of a run is waiting for servers: three workers on two cores finish sooner than two.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // Files share the modules of their worker, and keep their state to themselves: loading the modules anew for each file took a third of the run.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // So long that only what hangs reaches it, also where the machine is busy and its disk stalls.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // A poll ends as soon as it holds. One second is too short on a machine that others use too.
    expect: { poll: { timeout: 20_000 } },
  },
});
