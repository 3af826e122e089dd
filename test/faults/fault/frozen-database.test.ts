import { connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines, type Installation } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createPrivateKey, signParams } from '../../support/world.ts';

/** A way to PostgreSQL that a test can stop: connections stay open, and nothing passes. */
async function freezable(url: string) {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      if (isFrozen) socket.pause();
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as { port: number }).port);
  return {
    url: through.href,
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    /** What was on its way is lost, as when a machine comes back after its connections ended. */
    thaw() {
      isFrozen = false;
      for (const socket of sockets) socket.destroy();
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

describe('D169: a PostgreSQL that has stopped answering', () => {
  let installation: Installation;
  let service: TestService;
  let way: Awaited<ReturnType<typeof freezable>>;

  beforeAll(async () => {
    installation = await engines.postgres();
    // The first organization is made with patience: only what follows is about the deadline.
    await (await startService(installation)).close();
    way = await freezable(installation.config.databaseUrl as string);
    service = await startService(installation, { config: { databaseUrl: way.url, databaseTimeoutSeconds: 3 } });
  });
  afterAll(async () => {
    await service?.close();
    await way?.close();
    await installation?.remove();
  });

  test('requests get 503 within seconds, the server says that it is not ready, and nothing is done twice', async () => {
    const { root, url } = service;
    const signWith = await createPrivateKey(root);
    const body = root.submitBody('signRawPayload', signParams(signWith));
    const send = () => root.send(root.submitPath('signRawPayload'), body);
    expect((await fetch(new URL('/readyz', url))).status).toBe(200);
    way.freeze();
    const [signed, queried, ready] = await Promise.all([send(), root.query('whoami'), fetch(new URL('/readyz', url))]);
    expect(signed).toMatchObject({ status: 503, body: { errorCode: 'UNAVAILABLE' } });
    expect(queried.status).toBe(503);
    expect(signed.headers.get('retry-after')).not.toBeNull();
    expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining('the database does not')]);
    way.thaw();
    const [first, again] = [await send(), await send()];
    expect(first.status).toBe(200);
    expect(again.body).toEqual(first.body);
    expect((await fetch(new URL('/readyz', url))).status).toBe(200);
  });
});
