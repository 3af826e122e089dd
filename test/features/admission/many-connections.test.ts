import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { placeOf, type Serving, serve } from '../../faults/fault/support/serving.ts';
import { waitUntil } from '../../faults/fault/support/wait-until.ts';
import type { Caller } from '../../support/caller.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { createPrivateKey, createSubOrganization, signParams } from '../../support/world.ts';

const MAX_CONNECTIONS = 60;
const MAX_BODY_BYTES = 1_048_576;

let installation: Installation;
let serving: Serving;
let tenant: Caller;
let signWith: string;
const sockets: Socket[] = [];

beforeAll(async () => {
  installation = await engines.sqlite();
  const flags = ['--max-connections', `${MAX_CONNECTIONS}`, '--max-unfinished-body-bytes', `${MAX_BODY_BYTES}`];
  serving = await serve(placeOf(installation), flags);
  tenant = (await createSubOrganization(serving.root)).caller;
  signWith = await createPrivateKey(tenant);
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await serving?.kill();
  await installation?.remove();
});

/** A connection from one of many loopback addresses. */
async function connectFrom(localAddress: string): Promise<Socket> {
  const { hostname: host, port } = new URL(serving.url);
  const socket = connect({ host, port: Number(port), localAddress }).on('error', () => undefined);
  sockets.push(socket);
  // The server may already have closed it for another one.
  await once(socket, 'connect').catch(() => undefined);
  return socket.resume();
}

const isOpen = ({ destroyed, readableEnded }: Socket) => !destroyed && !readableEnded;

describe('clients without a credential, from many addresses', () => {
  test('D430: who hold all connections do not keep a tenant from connecting', async () => {
    const before = await connectFrom('127.0.9.1');
    const held = await Promise.all(Array.from({ length: 2 * MAX_CONNECTIONS }, (_, at) => connectFrom(`127.1.${at % 4}.1`)));
    await waitUntil(10_000, async () => held.filter(isOpen).length < MAX_CONNECTIONS);
    // Each request on a new connection.
    const body = JSON.stringify({ organizationId: tenant.organizationId });
    for (let sent = 0; sent < 5; sent++)
      expect(await tenant.send(tenant.queryPath('whoami'), body, { connection: 'close' })).toMatchObject({ status: 200 });
    // A stranger that holds one connection keeps it too.
    expect(isOpen(before)).toBe(true);
    for (const socket of held) socket.destroy();
  });

  test('D432: who hold the memory for bodies do not make a tenant lose a long one', async () => {
    const declared = 200_000;
    const head = `POST /public/v1/submit/create_policies HTTP/1.1\r\nHost: x\r\nX-Stamp: forged\r\nContent-Length: ${declared}\r\n\r\n`;
    const bodies = await Promise.all(Array.from({ length: 24 }, (_, at) => connectFrom(`127.2.${at}.1`)));
    for (const socket of bodies) socket.write(head + ' '.repeat(60_000));
    await waitUntil(10_000, async () => bodies.some((socket) => !isOpen(socket)));
    const long = { ...signParams(signWith), payload: 'ab'.repeat(60_000) };
    for (let sent = 0; sent < 3; sent++) expect(await tenant.submit('signRawPayload', long)).toMatchObject({ status: 200 });
    for (const socket of bodies) socket.destroy();
  });
});
