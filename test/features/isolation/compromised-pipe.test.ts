import { activities, dialects, operationPath, queries } from '@countersign/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fromCore, fromEdge, requestText } from '../../../packages/server/src/isolation/protocol.ts';
import { encodeStamp, newApiKey, stampFields } from '../../support/api-key.ts';
import { nextTimestampMs } from '../../support/caller.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { privateKeyParams } from '../../support/world.ts';
import { type HeldEdge, startCore } from './support.ts';

const WHOAMI = operationPath(dialects.spec, queries.whoami);
const CREATE = operationPath(dialects.spec, activities.createPrivateKeys);
const APPROVE = operationPath(dialects.spec, activities.approveActivity);

describe('an edge that strangers have taken over', () => {
  let installation: Installation;
  let core: Awaited<ReturnType<typeof startCore>>;
  let edge: HeldEdge;

  beforeAll(async () => {
    installation = await engines.sqlite();
    core = await startCore(installation);
    edge = (await core.edge()).open();
  });
  afterAll(async () => {
    await core?.close();
    await installation?.remove();
  });

  const who = () => JSON.stringify({ organizationId: core.first.organizationId });
  const create = () =>
    JSON.stringify({
      type: activities.createPrivateKeys.type,
      timestampMs: nextTimestampMs(),
      organizationId: core.first.organizationId,
      parameters: { privateKeys: [privateKeyParams('CURVE_SECP256K1')] },
    });

  /** A new pipe is served, and what was stored is there. */
  async function isServed(): Promise<boolean> {
    const next = (await core.edge()).open();
    const { status, body } = await next.stamped(WHOAMI, who(), core.key);
    edge = next;
    return status === 200 && body.activity.result.userId === core.first.userId;
  }

  test('D585: passes on stamped requests, as an edge does', async () => {
    const { status, body } = await edge.stamped(CREATE, create(), core.key);
    expect([status, body.activity.status]).toEqual([200, 'ACTIVITY_STATUS_COMPLETED']);
    expect((await edge.send('/healthz', '', {}, 'GET')).body).toBe('ok\n');
  });

  test('D585: cannot make a request, an approval or a sign-in', async () => {
    const body = create();
    const stamp = encodeStamp(stampFields(core.key, Buffer.from(body)));
    const approval = JSON.stringify({
      type: activities.approveActivity.type,
      timestampMs: nextTimestampMs(),
      organizationId: core.first.organizationId,
      parameters: { fingerprint: `sha256:${'0'.repeat(64)}` },
    });
    const forged = [
      await edge.send(CREATE, create()),
      await edge.stamped(CREATE, create(), newApiKey()),
      // The stamp of another body, and a body that was changed after it was stamped.
      await edge.send(CREATE, create(), { 'x-stamp': stamp }),
      await edge.send(CREATE, body.replace('CURVE_SECP256K1', 'CURVE_ED25519'), { 'x-stamp': stamp }),
      // The stamped body of one operation at the path of another.
      await edge.send(APPROVE, approval, { 'x-stamp': stamp }),
      await edge.send(WHOAMI, who(), { 'x-session': 'invented' }),
      // Headers that an edge could hope to be believed.
      await edge.send(WHOAMI, who(), { 'x-user-id': core.first.userId, 'x-stamp-attested': 'true', authorization: 'Bearer x' }),
    ];
    expect(forged.map(({ status }) => status)).toEqual(forged.map(() => 401));
    // What was stamped and not changed is executed once, however often the edge sends it.
    const [once, again] = [
      await edge.send(CREATE, body, { 'x-stamp': stamp }),
      await edge.send(CREATE, body, { 'x-stamp': stamp }),
    ];
    expect(once.status).toBe(200);
    expect(again.body.activity.id).toBe(once.body.activity.id);
  });

  test('D585: what breaks the protocol ends the pipe and nothing else', async () => {
    const head = (isComplete: boolean, connectionId = 1) =>
      requestText({ connectionId, isComplete, method: 'POST', url: CREATE, headers: { host: 'h', 'x-stamp': 'x' } });
    const attacks: Record<string, (held: HeldEdge) => void> = {
      'bytes that are not a frame': (held) => held.raw(Buffer.from('GET / HTTP/1.1\r\n\r\n')),
      'a frame of gigabytes': (held) => held.raw(Buffer.from([0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0, 0, 0, 0, 0])),
      'an unknown kind': (held) => held.writer.write(99, 1),
      'a request of no connection': (held) => held.writer.write(fromEdge.request, 1, head(true, 77)),
      'a connection twice': (held) => held.open(),
      'parts of a body before the last was taken': (held) => {
        // Short parts arrive in one chunk, before any of them is read.
        held.writer.write(fromEdge.request, 1, head(false), '{');
        for (let part = 0; part < 9; part++) held.writer.write(fromEdge.body, 1, '', ' ');
      },
      'an end of a body that has ended': (held) => {
        held.writer.write(
          fromEdge.request,
          1,
          requestText({
            connectionId: 1,
            isComplete: false,
            method: 'POST',
            url: CREATE,
            headers: { host: 'h', 'x-stamp': 'x' },
          }),
          '{',
        );
        held.writer.write(fromEdge.bodyEnd, 1);
        held.writer.write(fromEdge.bodyEnd, 1);
      },
      'an address of many bytes': (held) => held.writer.write(fromEdge.opened, 2, `${'1'.repeat(1_000)}\n8787\n`),
      'an address that is none': (held) => held.writer.write(fromEdge.opened, 2, 'localhost\n8787\n'),
      'a port that is none': (held) => held.writer.write(fromEdge.opened, 2, '127.0.0.1\n1e9\n'),
      'a key that is none': (held) => held.writer.write(fromEdge.opened, 2, `127.0.0.1\n8787\n${'f'.repeat(66)}`),
      'a head that is longer than Node takes': (held) =>
        held.writer.write(fromEdge.request, 1, `${head(true)}\nx\n${'x'.repeat(41_000)}`),
      'more requests than a connection may have': (held) => {
        for (let id = 1; id <= 65; id++) held.writer.write(fromEdge.request, id, head(false));
      },
    };
    for (const [what, attack] of Object.entries(attacks)) {
      const held = (await core.edge()).open();
      attack(held);
      await held.ended;
      expect([what, await isServed()]).toEqual([what, true]);
    }
  });

  test('D585: results of posts that were not requested, and ends of unknown connections, change nothing', async () => {
    for (const text of ['', '{}', 'null', '{"failure":7}']) edge.writer.write(fromEdge.posted, 12_345, text);
    edge.writer.write(fromEdge.closed, 4_000_000_000);
    edge.writer.write(fromEdge.body, 4_000_000_000, '', 'x');
    expect((await edge.stamped(WHOAMI, who(), core.key)).status).toBe(200);
  });

  test('D588: has no way to give the core keys of an issuer or a name: it passes requests on, and posts', () => {
    expect(Object.keys(fromEdge)).toEqual(['opened', 'closed', 'request', 'body', 'bodyEnd', 'posted']);
    expect(Object.keys(fromCore)).toEqual(['response', 'bodyTaken', 'reset', 'post', 'stop']);
  });

  test('D588: the core signs events, and an edge that lies about a delivery only loses it', async () => {
    const posting = core.link
      .poster('webhooks')
      .post(new URL('https://receiver.example/hook'), { 'x-signature': 's' }, 'an event');
    await expect.poll(() => edge.frames.some(({ kind }) => kind === fromCore.post)).toBe(true);
    const asked = edge.frames.find(({ kind }) => kind === fromCore.post);
    expect(JSON.parse(asked?.text ?? '')).toEqual({
      egress: 'webhooks',
      url: 'https://receiver.example/hook',
      headers: { 'x-signature': 's' },
    });
    edge.writer.write(
      fromEdge.posted,
      asked?.id ?? 0,
      JSON.stringify({ failure: { message: 'x'.repeat(1_000), permanent: true, reason: '' } }),
    );
    await expect(posting).rejects.toMatchObject({ permanent: false, message: expect.stringContaining('cannot be read') });
    const lost = core.link.poster('webhooks').post(new URL('https://receiver.example/hook'), {}, 'an event');
    const failed = expect(lost).rejects.toMatchObject({ permanent: false, message: expect.stringContaining('it ended') });
    await expect.poll(() => edge.frames.filter(({ kind }) => kind === fromCore.post)).toHaveLength(2);
    edge.close();
    await failed;
    expect(await isServed()).toBe(true);
  });

  test('a body in parts is taken part by part, and a closed connection ends its requests', async () => {
    const body = create();
    const stamp = encodeStamp(stampFields(core.key, Buffer.from(body)));
    const headers = { host: 'h', 'content-length': String(body.length), 'x-stamp': stamp };
    const answer = edge.answerTo(900);
    edge.writer.write(
      fromEdge.request,
      900,
      requestText({ connectionId: 1, isComplete: false, method: 'POST', url: CREATE, headers }),
      body.slice(0, 9),
    );
    await expect.poll(() => edge.frames.some(({ kind, id }) => kind === fromCore.bodyTaken && id === 900)).toBe(true);
    edge.writer.write(fromEdge.body, 900, '', body.slice(9));
    edge.writer.write(fromEdge.bodyEnd, 900);
    expect((await answer).status).toBe(200);

    edge.open(2);
    edge.writer.write(
      fromEdge.request,
      901,
      requestText({ connectionId: 2, isComplete: false, method: 'POST', url: CREATE, headers }),
      body.slice(0, 9),
    );
    edge.writer.write(fromEdge.closed, 2);
    expect((await edge.stamped(WHOAMI, who(), core.key)).status).toBe(200);
    expect(edge.frames.some(({ kind, id }) => kind === fromCore.response && id === 901)).toBe(false);
  });
});
