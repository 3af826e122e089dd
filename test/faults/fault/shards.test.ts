import { mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readConfig } from '../../../packages/server/src/config/read-config.ts';
import { openRawPostgres } from '../../support/raw-database.ts';
import { startService } from '../../support/service.ts';
import { runShards, type ShardPlace } from './support/shards-campaign.ts';

function configOf({ directory, databaseUrl, shard, witnesses = '' }: ShardPlace) {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const flags = { dataDir: directory, port: '0', logLevel: 'silent', shard: String(shard), witnesses, maxQueueMs: '600000' };
  return readConfig({ ...flags, logStopSeconds: '600', databasePool: '4' }, { COUNTERSIGN_DATABASE_URL: databaseUrl });
}

test('D567: two database servers with four shards, killed one after the other under load, lose nothing and do not disturb each other', async () => {
  const { outages, violations, acknowledged, entries } = await runShards({
    shards: 4,
    signatures: 5,
    configOf,
    async start(place) {
      const raw = () => openRawPostgres(place.databaseUrl);
      const installation = {
        engine: 'postgres' as const,
        directory: place.directory,
        config: configOf(place),
        raw,
        remove: async () => {},
      };
      const service = await startService(installation);
      return { url: service.url, root: service.root, close: service.close };
    },
  });
  expect(violations).toEqual([]);
  expect(outages).toMatchObject([{ othersFailed: 0 }, { othersFailed: 0 }]);
  for (const { othersSigned } of outages) expect(othersSigned).toBeGreaterThanOrEqual(10);
  expect(acknowledged).toBeGreaterThan(20);
  expect(entries).toBeGreaterThan(4);
});
