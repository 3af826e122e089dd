import { defineConfig } from 'vitest/config';

const conditions = ['@countersign/source'];

/** The service behind real proxies: they need programs of Debian. */
export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    globalSetup: ['test/support/run-setup.ts'],
    include: ['test/proxies/*.proxies.ts'],
    // Installing packages takes minutes on a slow network.
    testTimeout: 180_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
