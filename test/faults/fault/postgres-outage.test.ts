import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCutProxy } from '../../../packages/server/test/store/cut-proxy.ts';
import type { Caller } from '../../support/caller.ts';
import { makeDataDirectory } from '../../support/data-directory.ts';
import { type CrashablePostgres, startPostgres } from '../../support/postgres.ts';
import { createDatabase } from '../../support/postgres-database.ts';
import { openRawPostgres, type RawDatabase } from '../../support/raw-database.ts';
import { createSubOrganization, createWallet, signParams, uniqueName } from '../../support/world.ts';
import { Checker } from './support/checker.ts';
import { type Exchange, History } from './support/history.ts';
import { startLoad } from './support/load.ts';
import { type Place, type Serving, serve } from './support/serving.ts';
import { waitUntil } from './support/wait-until.ts';
import { roomyFlags, Workload } from './support/workload.ts';

const nothing = { lostAcks: [], doubleExecutions: [], illegalTransitions: [], others: [] };

/** No answer may take longer. Clients and proxies give up sooner; this has room for a busy machine. */
const DEADLINE_MS = 45_000;

describe('a failing PostgreSQL', () => {
  const directory = makeDataDirectory('fault');
  let server: CrashablePostgres;
  let place: Place & { readonly databaseUrl: string };
  let serving: Serving;

  beforeAll(async () => {
    server = await startPostgres();
    const { url } = await createDatabase(server.url);
    // One connection per read: a connection would not survive a crash.
    const raw = async (): Promise<RawDatabase> => {
      const all: RawDatabase['all'] = async (sql, ...params) => {
        const database = await openRawPostgres(url);
        return database.all(sql, ...params).finally(database.close);
      };
      return { all } as RawDatabase;
    };
    place = { engine: 'postgres', directory, databaseUrl: url, raw };
    serving = await serve(place, roomyFlags);
  });
  afterAll(async () => {
    await serving?.kill();
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const page = async (path: string) => (await fetch(serving.url + path)).status;

  test('fault 2, R7: kill -9 under load: 503 until it is back, then service resumes; nothing is lost or duplicated', async () => {
    const exchanges: (Exchange & { readonly during: boolean })[] = [];
    let down = false;
    const history = new History(undefined, (exchange) => exchanges.push({ ...exchange, during: down }));
    const workload = await Workload.create(serving.root);
    const checker = await Checker.create(history, place);

    for (let crashes = 0; crashes < 2; crashes++) {
      const load = startLoad(history, workload, serving.url);
      await sleep(200 + Math.random() * 300);
      await server.crash();
      down = true;
      const isNotReady = async () => (await page('/readyz')) === 503;
      expect(await waitUntil(DEADLINE_MS, async () => (await isNotReady()) && exchanges.some(({ during }) => during))).toBe(true);
      expect(await page('/healthz')).toBe(200);
      await server.restart();
      down = false;
      const answered = exchanges.length;
      const recovered = await waitUntil(DEADLINE_MS, () => exchanges.slice(answered).some(({ answer }) => answer.status === 200));
      await load.stop();
      expect(recovered, 'a request succeeds again').toBe(true);
      expect(await waitUntil(DEADLINE_MS, async () => (await page('/readyz')) === 200)).toBe(true);
      await checker.check(serving.url);
    }

    expect(serving.isRunning()).toBe(true);
    expect(history.violations).toEqual(nothing);
    const refused = exchanges.filter(({ answer }) => answer.status >= 500);
    expect(refused.length).toBeGreaterThan(0);
    for (const { answer } of refused) {
      expect(answer).toMatchObject({ status: 503, body: { errorCode: 'UNAVAILABLE' } });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(exchanges.filter(({ during }) => during).map(({ answer }) => answer.status)).toContain(503);
    expect(Math.max(...exchanges.map(({ elapsedMs }) => elapsedMs))).toBeLessThan(DEADLINE_MS);
  });

  test('fault 7: requests to a locked organization are refused in time; others are served, and later it is too', async () => {
    const [locked, free] = await Promise.all([createSubOrganization(serving.root), createSubOrganization(serving.root)]);
    const locker = await openRawPostgres(place.databaseUrl);
    await locker.run('BEGIN');
    await locker.all('SELECT version FROM organizations WHERE organization_id = ? FOR UPDATE', locked.organizationId);

    const newBody = () => locked.caller.submitBody('createWallet', { walletName: uniqueName('Wallet'), accounts: [] });
    const body = newBody();
    const send = (text = body) => locked.caller.send(locked.caller.submitPath('createWallet'), text);
    const startedMs = performance.now();
    // Others wait for their turn in this organization, and the same request is repeated.
    const copies = [0, 100, 200, 300, 400, 500].map((pauseMs) => sleep(pauseMs).then(() => send()));
    const answers = await Promise.all([...copies, ...copies.map(() => send(newBody()))]);
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 503, body: { errorCode: 'UNAVAILABLE' } });
      expect(answer.headers.get('retry-after')).not.toBeNull();
    }
    expect(performance.now() - startedMs).toBeLessThan(DEADLINE_MS);
    expect(await page('/healthz')).toBe(200);
    expect((await free.caller.query('whoami')).status).toBe(200);

    await locker.run('ROLLBACK');
    await locker.close();
    const [first, again] = [await send(), await send()];
    expect(first.status).toBe(200);
    expect(again.body).toEqual(first.body);
    expect((await locked.caller.data('listWallets')).wallets).toHaveLength(1);
    expect((await createWallet(free.caller)).walletId).toEqual(expect.any(String));
  });

  test('fault 8: a commit whose answer is lost is found, not repeated', async () => {
    const proxy = await createCutProxy(place.databaseUrl);
    const behind = await serve({ ...place, databaseUrl: proxy.url });
    const { caller } = await createSubOrganization(behind.root);
    const { addresses } = await createWallet(caller);
    const count = async (who: Caller) => (await who.data('listActivities')).activities.length;
    const before = await count(caller);

    const wallet = { walletName: uniqueName('Wallet'), accounts: [] };
    for (const [name, params, text] of [
      ['createWallet', wallet, 'COMMIT'],
      ['signRawPayload', signParams(addresses[0] as string), 'sign_activities'],
    ] as const) {
      const body = caller.submitBody(name, params);
      proxy.cutAnswerTo(text);
      const first = await caller.send(caller.submitPath(name), body);
      expect([200, 503]).toContain(first.status);
      const again = await caller.send(caller.submitPath(name), body);
      expect(again.status).toBe(200);
      if (first.status === 200) expect(again.body).toEqual(first.body);
    }
    expect(await count(caller)).toBe(before + 2);
    expect((await caller.data('listWallets')).wallets).toHaveLength(2);
    await behind.kill();
    await proxy.close();
  });
});
