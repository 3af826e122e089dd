import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makeDataDirectory } from '../../../../test/support/data-directory.ts';
import { EdgePipe } from '../../src/isolation/edge-pipe.ts';
import { FrameWriter } from '../../src/isolation/frames.ts';
import { fromEdge, openedText, requestText } from '../../src/isolation/protocol.ts';

const CONNECTIONS = 64;
const PER_CONNECTION = 64;
/** The heads of all requests are more than twice what a core keeps. */
const HEAD_BYTES = 40_000;

test('D661: a core reads no more requests while the heads of unanswered ones fill its memory', async () => {
  const path = join(makeDataDirectory('pipe'), 'pipe');
  const server = createServer().listen(path);
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const edge = connect(path);
  const [socket] = await accepted;
  const answers: (() => void)[] = [];
  let isAnswering = false;
  const pipe = new EdgePipe(socket, {
    admit: () => () => {},
    async answer(_request, write) {
      const answer = () => write({ status: 200, headers: {}, body: '' });
      if (isAnswering) answer();
      else answers.push(answer);
    },
    posted() {},
    log: { error: (...words: unknown[]) => expect.unreachable(String(words)) },
  });
  edge.on('data', () => {});
  const writer = new FrameWriter(edge);
  const headers = { host: 'h', x: 'x'.repeat(HEAD_BYTES) };
  for (let connectionId = 1; connectionId <= CONNECTIONS; connectionId++) {
    writer.write(fromEdge.opened, connectionId, openedText({ address: '192.0.2.1', localPort: 1, certificateKey: '' }));
    for (let request = 0; request < PER_CONNECTION; request++)
      writer.write(
        fromEdge.request,
        connectionId * PER_CONNECTION + request,
        requestText({ connectionId, isComplete: true, method: 'POST', url: '/', headers }),
      );
  }
  await expect.poll(() => answers.length).toBeGreaterThan(1_000);
  await sleep(300);
  expect(answers.length * HEAD_BYTES).toBeLessThan(80_000_000);
  // It continues when requests are answered.
  isAnswering = true;
  const held = answers.length;
  for (const answer of answers) answer();
  await expect.poll(() => edge.writableLength).toBe(0);
  expect(held).toBeLessThan(CONNECTIONS * PER_CONNECTION);
  pipe.destroy();
  edge.destroy();
  server.close();
});
