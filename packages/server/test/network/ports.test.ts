import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createPorts } from '../../src/network/ports.ts';

const dial = async (port: number) => {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
};

test('connections that arrive before there is a receiver reach it, with what they sent', async () => {
  const ports = createPorts([{ host: '127.0.0.1', port: 0 }], {});
  const port = await ports.listen();
  const early = await dial(port);
  early.write('early');
  const taken: Socket[] = [];
  // The system accepts a connection before the program sees it.
  await new Promise((resolve) => setTimeout(resolve, 20));
  ports.serve((socket) => taken.push(socket));
  const late = await dial(port);
  late.write('late');
  await expect.poll(() => taken.length).toBe(2);
  const texts = await Promise.all(
    taken.map(async (socket) => {
      socket.resume();
      return String((await once(socket, 'data'))[0]);
    }),
  );
  expect(texts.sort()).toEqual(['early', 'late']);
  for (const socket of [early, late, ...taken]) socket.destroy();
  ports.close();
});

test('close ends connections that no receiver has', async () => {
  const ports = createPorts([{ host: '127.0.0.1', port: 0 }], {});
  const early = await dial(await ports.listen());
  early.resume();
  await new Promise((resolve) => setTimeout(resolve, 20));
  const closed = once(early, 'close');
  ports.close();
  await closed;
});
