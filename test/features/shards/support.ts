import { onTestFinished } from 'vitest';
import { type RunningRouter, startRouter } from '../../../packages/server/src/commands/start-router.ts';

/** Starts a router in this process. `shards` are addresses by number. */
export async function startTestRouter(shards: Readonly<Record<number, string>>): Promise<RunningRouter> {
  const items = Object.entries(shards).map(([shard, url]) => `${shard}=${url}`);
  return startRouter({ host: '127.0.0.1', port: 0, logLevel: 'silent', maxBodyBytes: 65_536, shards: items });
}

/** The same, until the end of the test. */
export async function routerFor(shards: Readonly<Record<number, string>>): Promise<RunningRouter> {
  const router = await startTestRouter(shards);
  onTestFinished(router.close);
  return router;
}
