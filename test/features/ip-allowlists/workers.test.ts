import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { placeOf, type Serving, serve } from '../../faults/fault/support/serving.ts';
import type { Caller } from '../../support/caller.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { errorOf } from '../../support/world.ts';
import { addKey, ELSEWHERE, from, HERE, notAllowed, OFFICE, only } from './support.ts';

/** Each request has its own connection, and workers take turns: this many reach both of them. */
const CALLS = 6;

const calls = <T>(call: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: CALLS }, call));

describe('two worker processes', () => {
  let installation: Installation;
  let server: Serving;
  let root: Caller;
  let member: Caller;

  beforeAll(async () => {
    installation = await engines.sqlite();
    server = await serve(placeOf(installation), ['--workers', '2', '--trusted-proxies', `${OFFICE}/32`]);
    root = server.root;
    const { userId } = await root.data('whoami');
    member = (await addKey(root, userId)).caller;
  });
  afterAll(async () => {
    server?.signal('SIGTERM');
    await server?.ended;
    await installation?.remove();
  });

  test('know the addresses of their connections, and apply each other’s lists', async () => {
    const { publicKey } = member.key;
    for (const [allowed, refused] of [
      [ELSEWHERE, HERE],
      [HERE, ELSEWHERE],
    ] as const) {
      await root.result('setIpAllowlist', { publicKey, ...only(allowed) });
      const answers = await calls(() => from(refused, member).query('whoami'));
      for (const answer of answers) {
        expect(errorOf(answer)).toEqual(notAllowed);
        expect(answer.body.message).toContain(refused);
      }
      const statuses = await calls(async () => (await from(allowed, member).query('whoami')).status);
      expect(new Set(statuses)).toEqual(new Set([200]));
    }
  });

  test('trust only the proxy that the operator names', async () => {
    const { publicKey } = member.key;
    await root.result('setIpAllowlist', { publicKey, ...only('203.0.113.9') });
    const headers = { 'X-Forwarded-For': '203.0.113.9' };
    const proxied = await calls(async () => (await from(OFFICE, member, headers).query('whoami')).status);
    expect(new Set(proxied)).toEqual(new Set([200]));
    for (const answer of await calls(() => from(ELSEWHERE, member, headers).query('whoami'))) {
      expect(errorOf(answer)).toEqual(notAllowed);
    }
  });
});
