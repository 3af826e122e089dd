import { defineConfig } from 'vitest/config';

const conditions = ['@countersign/source'];

/** The service with the programs that operators run beside it: they come from Debian. */
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    globalSetup: ['test/support/run-setup.ts'],
    include: ['test/operate/*.operate.ts'],
    // Each file measures or restarts services.
    fileParallelism: false,
    // Installing packages takes minutes on a slow network.
    testTimeout: 600_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
