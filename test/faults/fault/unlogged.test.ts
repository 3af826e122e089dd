import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { slowEngines } from '../../support/exhaustive.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { createPrivateKey, signParams } from '../../support/world.ts';
import { placeOf, type Serving, serve } from './support/serving.ts';
import { waitUntil } from './support/wait-until.ts';

const STOP_SECONDS = 5;
const flags = ['--log-alarm-seconds', '3', '--log-stop-seconds', String(STOP_SECONDS)];

describe.each(slowEngines('sqlite'))('commits that are not in the log yet on %s', (engine) => {
  let installation: Installation;
  let server: Serving;

  async function start(): Promise<string> {
    installation = await engines[engine]();
    server = await serve(placeOf(installation), flags);
    return createPrivateKey(server.root);
  }

  /** Signs many times, and returns the activities of all. */
  const signMany = (key: string) =>
    Promise.all(
      Array.from({ length: 40 }, async () => {
        const { status, body } = await server.root.submit('signRawPayload', signParams(key));
        expect(status).toBe(200);
        return String(body.activity.id);
      }),
    );

  const queued = async () => Number((await (await installation.raw()).all('SELECT count(*) AS n FROM log_queue'))[0]?.n);

  async function expectLogged(ids: readonly string[]): Promise<void> {
    const raw = await installation.raw();
    expect(await waitUntil(60_000, async () => (await queued()) === 0)).toBe(true);
    const leaves = new Set((await raw.all('SELECT activity_id FROM log_leaves')).map((row) => row.activity_id));
    expect(ids.filter((id) => !leaves.has(id))).toEqual([]);
  }

  /** Signs until entries are queued, and does something with the server before they are integrated. */
  async function withQueuedEntries(key: string, work: () => void): Promise<string[]> {
    const ids: string[] = [];
    for (let attempt = 0; attempt < 20; attempt++) {
      ids.push(...(await signMany(key)));
      work();
      if ((await queued()) > 0) return ids;
      server.signal('SIGCONT');
    }
    throw new Error('the log was always faster');
  }

  afterEach(async () => {
    server.signal('SIGCONT');
    await server.kill();
    await installation.remove();
  });

  test('D257: do not suspend a process that was itself suspended for longer', { timeout: 240_000 }, async () => {
    const key = await start();
    const ids = await withQueuedEntries(key, () => server.signal('SIGSTOP'));
    await sleep((STOP_SECONDS + 3) * 1000);
    server.signal('SIGCONT');
    ids.push(...(await signMany(key)));
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    await expectLogged(ids);
    expect(server.stderr()).not.toContain('has not been in the log');
  });

  test('D258: are in the log after a kill with a full queue', { timeout: 240_000 }, async () => {
    const key = await start();
    const ids = await withQueuedEntries(key, () => server.signal('SIGSTOP'));
    await server.kill();
    expect(await queued()).toBeGreaterThan(0);
    server = await serve(placeOf(installation), flags);
    await expectLogged(ids);
    await signMany(key);
  });
});
