import { defineConfig } from 'vitest/config';

const conditions = ['@countersign/source'];

/** The console against the real service in real browsers: longer than the suite may take. */
export default defineConfig({
  root: new URL('../../..', import.meta.url).pathname,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    globalSetup: ['test/support/run-setup.ts'],
    include: ['test/browser/console/*.story.ts', 'test/browser/console/*.test.ts', 'packages/console/test/**/*.test.ts'],
    maxWorkers: 1,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    reporters: ['verbose'],
  },
});
