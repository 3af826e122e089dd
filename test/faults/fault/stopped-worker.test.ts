import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { type Engine, engines, type Installation } from '../../support/installation.ts';
import { openSqliteFile } from '../../support/sqlite-file.ts';
import { createPrivateKey, createWallet, signParams } from '../../support/world.ts';
import { childrenOf } from './support/command-process.ts';
import { placeOf, type Serving, serve } from './support/serving.ts';
import { waitUntil } from './support/wait-until.ts';

const TIMEOUT_SECONDS = 5;
/** A worker without a response gets no connections after two pings. */
const NOTICED_MS = 3_500;
const REPLACED_MS = 60_000;

let installation: Installation;
let server: Serving;
/** Processes that a test stopped. A test that fails must not leave any behind. */
const stopped = new Set<number>();

function stop(pid: number): void {
  stopped.add(pid);
  process.kill(pid, 'SIGSTOP');
}

function resume(pid: number): void {
  stopped.delete(pid);
  process.kill(pid, 'SIGCONT');
}

async function start(engine: Engine, timeoutSeconds = TIMEOUT_SECONDS): Promise<number[]> {
  installation = await engines[engine]();
  server = await serve(placeOf(installation), ['--workers', '2', '--worker-timeout-seconds', String(timeoutSeconds)]);
  return childrenOf(server.pid);
}

/** Whether none of these processes is left, and two others serve. */
const isReplaced = (before: readonly number[]) => () => {
  const now = childrenOf(server.pid);
  return now.length === 2 && before.every((pid) => !now.includes(pid));
};

afterEach(async () => {
  const left = new Set(childrenOf(server.pid));
  for (const pid of stopped) if (left.has(pid)) resume(pid);
  stopped.clear();
  server.signal('SIGTERM');
  await server.ended;
  await installation.remove();
});

describe('D267: a worker that does not respond', () => {
  test('gets no connections, and is replaced', async () => {
    const [victim, other] = (await start('sqlite')) as [number, number];
    stop(victim);
    await sleep(NOTICED_MS);
    // Every other connection went to the stopped worker before.
    const requests = Array.from({ length: 10 }, () => createWallet(server.root));
    const served = await Promise.race([Promise.all(requests), sleep(30_000, undefined, { ref: false })]);
    expect(served).toHaveLength(10);
    expect(await waitUntil(REPLACED_MS, isReplaced([victim]))).toBe(true);
    expect(childrenOf(server.pid)).toContain(other);
    await expect.poll(() => server.stderr()).toContain(`no response for ${TIMEOUT_SECONDS} seconds`);
    await Promise.all(Array.from({ length: 10 }, () => createWallet(server.root)));
  });

  test('is replaced if no other responds; connections wait for it', async () => {
    const workers = await start('sqlite');
    for (const pid of workers) stop(pid);
    await sleep(NOTICED_MS);
    const requests = Array.from({ length: 10 }, () => createWallet(server.root));
    expect(await Promise.all(requests)).toHaveLength(10);
    expect(await waitUntil(REPLACED_MS, isReplaced(workers))).toBe(true);
  });

  test('is not replaced if it responds again in time, and gets the connections that waited', async () => {
    const workers = await start('sqlite', 20);
    for (const pid of workers) stop(pid);
    await sleep(NOTICED_MS);
    const requests = Promise.all(Array.from({ length: 10 }, () => createWallet(server.root)));
    await sleep(1_000);
    for (const pid of workers) resume(pid);
    expect(await requests).toHaveLength(10);
    expect(childrenOf(server.pid).sort()).toEqual(workers.sort());
  });

  test('fault 3: requests that it took are executed once, although another served them before it resumed', async () => {
    const [victim] = (await start('sqlite', 60)) as [number, number];
    const signWith = await createPrivateKey(server.root);
    const send = (body: string) => server.root.send(server.root.submitPath('signRawPayload'), body);
    const bodies = Array.from({ length: 4 }, () => server.root.submitBody('signRawPayload', signParams(signWith)));
    stop(victim);
    const first = bodies.map(send);
    await sleep(NOTICED_MS);
    const second = await Promise.all(bodies.map(send));
    resume(victim);
    const answers = await Promise.all(first);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers.map(({ body }) => body)).toEqual(second.map(({ body }) => body));
  });

  test('does not count while the primary process itself is stopped', async () => {
    const workers = await start('sqlite');
    server.signal('SIGSTOP');
    await sleep((TIMEOUT_SECONDS + 3) * 1000);
    server.signal('SIGCONT');
    await Promise.all(Array.from({ length: 10 }, () => createWallet(server.root)));
    await sleep(2_000);
    expect(childrenOf(server.pid).sort()).toEqual(workers.sort());
  });

  test.each(['sqlite', 'postgres'] as const)(
    'does not keep its lock if it is stopped in a write transaction, on %s',
    async (engine) => {
      const workers = await start(engine);
      const signWith = await createPrivateKey(server.root);
      const victim = await stopInTransaction(workers, signWith);
      // The other worker serves reads, and rejects or delays writes.
      await sleep(NOTICED_MS);
      expect((await server.root.query('whoami')).status).toBe(200);
      expect(await waitUntil(REPLACED_MS, isReplaced([victim]))).toBe(true);
      await Promise.all(Array.from({ length: 10 }, () => server.root.result('signRawPayload', signParams(signWith))));
    },
  );
});

/** Stops one of the workers while it holds a lock of the database, and returns its process id. */
async function stopInTransaction(workers: readonly number[], signWith: string): Promise<number> {
  let isLoaded = true;
  const load = Array.from({ length: 8 }, async () => {
    // Requests to the stopped worker fail when it is killed.
    while (isLoaded) await server.root.submit('signRawPayload', signParams(signWith)).catch(() => undefined);
  });
  try {
    for (let attempt = 0; attempt < 2_000; attempt++) {
      const victim = workers[attempt % workers.length] as number;
      stop(victim);
      if (await holdsLock()) return victim;
      resume(victim);
      await sleep(1 + Math.random() * 20);
    }
    throw new Error('no worker was ever in a transaction');
  } finally {
    isLoaded = false;
    void Promise.allSettled(load);
  }
}

/** Whether a transaction stays open. Those of a running worker end. */
async function holdsLock(): Promise<boolean> {
  for (let look = 0; look < 10; look++) {
    if (!(await isLocked())) return false;
    await sleep(50);
  }
  return true;
}

async function isLocked(): Promise<boolean> {
  if (installation.engine === 'postgres') {
    const raw = await installation.raw();
    const open = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'";
    return (await raw.all(open)).length > 0;
  }
  const db = openSqliteFile(join(installation.directory, 'countersign.db'), { timeout: 0 });
  try {
    db.exec('BEGIN IMMEDIATE; ROLLBACK');
    return false;
  } catch {
    return true;
  } finally {
    db.close();
  }
}
