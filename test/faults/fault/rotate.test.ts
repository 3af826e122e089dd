import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { slowEngines } from '../../support/exhaustive.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { runRotations } from './support/rotate-campaign.ts';
import { type Place, placeOf } from './support/serving.ts';

// The short form of `npm run fault -- rotate`.
describe.each(slowEngines('postgres'))('vault rotate on %s', (engine) => {
  let installation: Installation;
  let place: Place;

  beforeEach(async () => {
    installation = await engines[engine]();
    place = placeOf(installation);
  });
  afterEach(() => installation?.remove());

  test('D580: under load and with kills, no request fails and no key is lost', async () => {
    const shape = engine === 'sqlite' ? { nodes: 1, workers: 2 } : { nodes: 2, workers: 1 };
    const report = await runRotations({ place, ...shape, rounds: 1, kills: 1, connections: 4 });
    expect(report).toMatchObject({ rotations: 2, failed: [], lost: [] });
    expect(report.keys).toBeGreaterThan(3);
    const files = readdirSync(place.directory).filter((name) => name.startsWith('root.key'));
    expect(files.map((name) => name.replace(/[0-9a-f]{16}$/, ''))).toEqual(['root.key', 'root.key.retired-']);
    expect(readFileSync(join(place.directory, 'root.key'), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
    const raw = await place.raw();
    expect(await raw.all('SELECT organization_id FROM data_keys WHERE length(previous) > 0')).toEqual([]);
    expect(await raw.all('SELECT DISTINCT root_key_id FROM data_keys')).toHaveLength(1);
  });
});
