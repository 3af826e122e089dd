import type { OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import { encodeStamp, stampFields } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { errorOf, uniqueName } from '../../support/world.ts';
import { addKey, ELSEWHERE, from, HERE, notAllowed, OFFICE, only, ownOrganization } from './support.ts';

/** A client's address from a documentation block; nobody connects from there. */
const CLIENT = '203.0.113.9';
const CLIENT6 = '2001:db8::9';

describe('the address of a client', () => {
  let installation: Installation;
  /** Listens on every IPv4 and IPv6 address, and trusts a proxy at 127.0.0.2. */
  let behind: TestService;
  /** The same installation without trusted proxies. */
  let plain: TestService;
  let root: Caller;

  beforeAll(async () => {
    installation = await engines.sqlite();
    plain = await startService(installation);
    behind = await startService(installation, { config: { host: '::', trustedProxies: [`${OFFICE}/32`, '10.0.0.0/8'] } });
    const { root: made, rootUserId } = await ownOrganization(plain);
    const { key, caller } = await addKey(made, rootUserId);
    await made.result('setIpAllowlist', {
      publicKey: key.publicKey,
      rules: [{ cidr: `${CLIENT}/32` }, { cidr: `${CLIENT6}/128` }, { cidr: '::1/128' }],
    });
    root = caller;
    return async () => {
      await behind.close();
      await plain.close();
      await installation.remove();
    };
  });

  /** The answer of `service` to a client that connects from `peer` and sends `forwarded`. */
  async function answerTo(service: TestService, peer: string, forwarded?: string | string[]) {
    const headers: OutgoingHttpHeaders = forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded };
    const host = peer.includes(':') ? service.url.replace('127.0.0.1', '[::1]') : service.url;
    return from(peer, root.with({ url: host }), headers).query('whoami');
  }

  test.each([
    ['as it is', CLIENT],
    ['with a port', `${CLIENT}:4711`],
    ['IPv6', CLIENT6],
    ['IPv6 in brackets', `[${CLIENT6}]`],
    ['IPv6 with a port', `[${CLIENT6}]:4711`],
    ['IPv4 as IPv6', `::ffff:${CLIENT}`],
    ['behind another proxy', `${CLIENT}, 10.1.2.3`],
    ['to the right of the client’s entry', `192.0.2.66, ${CLIENT}`],
    ['to the right of garbage', `<nonsense>, , ${CLIENT}`],
  ])('is the one that a trusted proxy reports: %s', async (_, header) => {
    expect((await answerTo(behind, OFFICE, header)).status).toBe(200);
  });

  test('get_caller_address shows the address that is compared, and not what an untrusted peer claims', async () => {
    const { root: other } = await ownOrganization(plain);
    const seenBy = (service: TestService, peer: string, headers: OutgoingHttpHeaders) =>
      from(peer, other.with({ url: service.url }), headers).data('getCallerAddress');
    const headers = { 'X-Forwarded-For': CLIENT };
    expect(await seenBy(behind, OFFICE, headers)).toEqual({ address: CLIENT });
    expect(await seenBy(behind, OFFICE, { 'X-Forwarded-For': `[${CLIENT6}]:4711` })).toEqual({ address: CLIENT6 });
    expect(await seenBy(behind, ELSEWHERE, headers)).toEqual({ address: ELSEWHERE });
    expect(await seenBy(plain, OFFICE, headers)).toEqual({ address: OFFICE });
  });

  test('several headers are one list', async () => {
    expect((await answerTo(behind, OFFICE, ['192.0.2.66', CLIENT])).status).toBe(200);
    const answer = await answerTo(behind, OFFICE, [CLIENT, '192.0.2.66']);
    expect(errorOf(answer)).toEqual(notAllowed);
    expect(answer.body.message).toContain('192.0.2.66');
  });

  test.each([
    ['an untrusted peer', () => behind, ELSEWHERE, CLIENT, ELSEWHERE],
    ['an untrusted peer that names the proxy', () => behind, ELSEWHERE, `${CLIENT}, ${OFFICE}`, ELSEWHERE],
    ['a client that adds its own entry', () => behind, OFFICE, `${CLIENT}, 192.0.2.66`, '192.0.2.66'],
    ['a client that adds proxies too', () => behind, OFFICE, `${CLIENT}, 10.0.0.1, 192.0.2.66, 10.0.0.1`, '192.0.2.66'],
    ['any client without trusted proxies', () => plain, OFFICE, CLIENT, OFFICE],
    ['the machine itself without trusted proxies', () => plain, HERE, CLIENT, HERE],
  ])('D66: X-Forwarded-For does not help %s', async (_, service, peer, header, seen) => {
    const answer = await answerTo(service(), peer, header);
    expect(errorOf(answer)).toEqual(notAllowed);
    expect(answer.body.message).toContain(`(${seen})`);
  });

  test('is the peer’s in one form, on a socket for IPv4 and IPv6', async () => {
    expect((await answerTo(behind, '::1')).status).toBe(200);
    expect((await answerTo(behind, ELSEWHERE)).body.message).toContain(`(${ELSEWHERE})`);
  });

  describe('that is unknown', () => {
    const malformed = ['unknown', '', `${CLIENT},`, '[::1', `${CLIENT} 192.0.2.1`, '256.1.1.1', '192.0.2.0/24'];

    test.each(malformed)('is refused, as for the header %j', async (header) => {
      const answer = await answerTo(behind, OFFICE, header);
      expect(errorOf(answer)).toEqual(notAllowed);
      expect(answer.body.message).toContain('address of the caller is unknown');
    });

    test('is allowed only if the list says ALLOW', async () => {
      const own = { publicKey: root.key.publicKey, onEvaluationError: 'ALLOW' };
      const proxied = from(OFFICE, root.with({ url: behind.url }), { 'X-Forwarded-For': CLIENT });
      await proxied.result('setIpAllowlist', own);
      for (const header of malformed) expect((await answerTo(behind, OFFICE, header)).status).toBe(200);
      expect(errorOf(await answerTo(behind, ELSEWHERE, 'unknown'))).toEqual(notAllowed);
      expect(errorOf(await answerTo(plain, ELSEWHERE, 'unknown'))).toEqual(notAllowed);
      // A caller without an address cannot remove that permission.
      const unknown = from(OFFICE, root.with({ url: behind.url }), { 'X-Forwarded-For': 'unknown' });
      const refused = await unknown.submit('setIpAllowlist', { ...own, onEvaluationError: 'DENY' });
      expect(errorOf(refused)).toMatchObject({ code: 'PRECONDITION_FAILED' });
      await proxied.result('setIpAllowlist', { ...own, onEvaluationError: 'DENY' });
      expect(errorOf(await answerTo(behind, OFFICE, 'unknown'))).toEqual(notAllowed);
    });
  });

  test('D66: a client that hangs up early does not count as one without an address', async () => {
    const { root: owner, rootUserId } = await ownOrganization(plain);
    const { key, caller } = await addKey(owner, rootUserId);
    await owner.result('setIpAllowlist', { publicKey: key.publicKey, ...only(OFFICE), onEvaluationError: 'ALLOW' });
    const names = Array.from({ length: 40 }, () => uniqueName('Tag'));
    await Promise.all(names.map((userTagName) => sendAndReset(caller, { userTagName, userIds: [] })));
    // This request on another connection is answered after any that got through.
    await owner.data('whoami');
    await new Promise((resolve) => setTimeout(resolve, 300));
    const { userTags } = await owner.data('listUserTags');
    expect(userTags).toEqual([]);
  });

  /** Sends a request and resets the connection at once, so that its address can no longer be read. */
  function sendAndReset(caller: Caller, params: object): Promise<void> {
    const body = caller.submitBody('createUserTag', params);
    const { hostname, port } = new URL(caller.url);
    const head = [
      `POST ${caller.submitPath('createUserTag')} HTTP/1.1`,
      `Host: ${hostname}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Stamp: ${encodeStamp(stampFields(caller.key, Buffer.from(body)))}`,
    ];
    return new Promise((resolve) => {
      const socket = connect({ host: hostname, port: Number(port), localAddress: ELSEWHERE }, () => {
        socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.resetAndDestroy());
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve());
    });
  }
});
