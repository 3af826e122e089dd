import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { longTests, slowTests } from './test/support/suites.ts';

const conditions = ['@countersign/source'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    globalSetup: ['test/support/run-setup.ts'],
    // Tests often wait for servers: three workers on two cores finish sooner than two.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // Files of a worker share its modules and have no state in common. Loading the modules for each file took a third of the run.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Only a hanging test reaches these limits, also on a busy machine with a slow disk.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // A poll ends as soon as its condition holds. One second is too short on a busy machine.
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...slowTests],
        },
      },
      { extends: true, test: { name: 'slow', include: slowTests, exclude: [...configDefaults.exclude, ...longTests] } },
      { extends: true, test: { name: 'long', include: longTests } },
    ],
  },
});
