import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { EdgeConnection, EdgeRequest } from '../../src/isolation/edge-request.ts';

const head = { connectionId: 1, isComplete: false, method: 'POST', url: '/', headers: {} };

test.each([0, 5])(
  'every part of a body is taken, also those that arrive after the reader waits for them (%i ms apart)',
  async (pauseMs) => {
    const connection = new EdgeConnection(1, { address: '127.0.0.1', localPort: 1, certificateKey: '' }, () => {});
    let taken = 0;
    const request = new EdgeRequest(1, connection, head, () => taken++);
    const parts: string[] = [];
    request.add(Buffer.from('a'));
    request.on('data', (part: Buffer) => parts.push(part.toString()));
    const ended = new Promise((resolve) => request.once('end', resolve));
    for (const [index, part] of ['b', 'c', 'd'].entries()) {
      await expect.poll(() => taken).toBe(index + 1);
      await sleep(pauseMs);
      request.add(Buffer.from(part));
    }
    await expect.poll(() => taken).toBe(4);
    request.end();
    await ended;
    expect([parts.join(''), request.isUnread]).toEqual(['abcd', false]);
  },
);
