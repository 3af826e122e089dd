import { defineConfig } from 'vitest/config';

const conditions = ['@countersign/source'];

/** Root key providers against real tokens: they need packages that compile, and programs of Debian. */
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    globalSetup: ['test/support/run-setup.ts'],
    include: ['test/custody/*.custody.ts'],
    // Installing packages takes minutes on a slow network.
    testTimeout: 180_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
