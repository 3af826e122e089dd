import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { createCallersReads } from '../../src/chain-nodes/callers-reads.ts';
import { type ChainNodes, openChainNodes } from '../../src/chain-nodes/open-chain-nodes.ts';
import { hexQuantity } from '../../src/chain-nodes/quantities.ts';
import { readConfig } from '../../src/config/read-config.ts';
import { type Respond, serveNode } from './node-server.ts';

const CHAIN = 'eip155:1';
const caller = { tenantId: 'tenant', userId: 'user' };
const balance = { method: 'eth_getBalance', params: ['0x00'], cost: 1 };

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** The timeout is long: only the test of slow nodes waits for it. */
async function nodesOf(respond: Respond, chainTimeoutSeconds = '30'): Promise<ChainNodes> {
  const server = await serveNode((method, params) => (method === 'eth_chainId' ? '0x1' : respond(method, params)));
  const chainEndpoints = JSON.stringify({ [CHAIN]: [server.url] });
  const config = readConfig({ chainEndpoints, chainNetworks: '127.0.0.0/8', chainTimeoutSeconds }, {});
  const log = { warn: () => undefined, error: () => undefined };
  const nodes = openChainNodes(config, { request: () => undefined, disagreement: () => undefined }, log as never);
  ends.push(server.close, nodes.close);
  return nodes;
}

const readsOf = (nodes: ChainNodes, perSecond: number, onLimit = (_limit: string) => {}, nowMs = () => 0) =>
  createCallersReads(nodes, { perSecond, onLimit, nowMs });

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'ok',
    (error: { code: unknown }) => error.code,
  );

describe('reads for callers', () => {
  test('D942: a user has a budget by cost, and its organization one of five users', async () => {
    const limits: string[] = [];
    const nodes = await nodesOf(() => '0x1');
    const reads = readsOf(nodes, 1, (limit) => limits.push(limit));
    const ask = (userId: string, cost: number) => codeOf(reads.read({ ...caller, userId }, CHAIN, { ...balance, cost }));
    expect([await ask('a', 4), await ask('a', 1), await ask('a', 1)]).toEqual(['ok', 'ok', 'RATE_LIMIT_EXCEEDED']);
    for (const user of ['b', 'c', 'd', 'e']) expect(await ask(user, 5)).toBe('ok');
    expect(await ask('f', 1)).toBe('RATE_LIMIT_EXCEEDED');
    expect(limits).toEqual(['rpcReadsPerUser', 'rpcReadsPerOrganization']);
    expect(await codeOf(reads.read({ ...caller, tenantId: 'other' }, CHAIN, balance))).toBe('ok');
    expect(await codeOf(readsOf(nodes, 0).read(caller, CHAIN, balance))).toBe('NOT_OFFERED');
    expect(await codeOf(reads.read(caller, 'eip155:5', balance))).toBe('NOT_OFFERED');
  });

  test('D942: slow reads of one organization do not stop those of another', async () => {
    const nodes = await nodesOf(async (_, params) => {
      if ((params as string[])[0] === 'slow') await sleep(500);
      return '0x1';
    });
    const reads = readsOf(nodes, 100);
    await reads.read(caller, CHAIN, balance);
    const slow = Array.from({ length: 6 }, () => codeOf(reads.read(caller, CHAIN, { ...balance, params: ['slow'] })));
    expect(await codeOf(reads.read({ ...caller, tenantId: 'other' }, CHAIN, balance))).toBe('ok');
    expect((await Promise.all(slow)).sort()).toEqual([...Array(2).fill('RATE_LIMIT_EXCEEDED'), ...Array(4).fill('ok')]);
    expect(await codeOf(reads.read(caller, CHAIN, balance))).toBe('ok');
  });

  test('D942: slow reads of many organizations leave connections for sending', async () => {
    const nodes = await nodesOf(async (_, params) => {
      if ((params as string[])[0] === 'slow') await sleep(500);
      return '0x1';
    });
    const reads = readsOf(nodes, 100);
    await reads.read(caller, CHAIN, balance);
    const slow = Array.from({ length: 16 }, (_, at) =>
      codeOf(reads.read({ ...caller, tenantId: `tenant ${at % 4}` }, CHAIN, { ...balance, params: ['slow'] })),
    );
    expect(await codeOf(reads.read({ ...caller, tenantId: 'other' }, CHAIN, balance))).toBe('RATE_LIMIT_EXCEEDED');
    expect((await Promise.all(slow)).sort()).toEqual([...Array(4).fill('RATE_LIMIT_EXCEEDED'), ...Array(12).fill('ok')]);
  });

  test('D1014: long responses use up more of the budget of their user and organization', async () => {
    const long = 'x'.repeat(1_000_000);
    const nodes = await nodesOf((_, params) => ((params as string[])[0] === 'long' ? long : '0x1'));
    let nowMs = 0;
    const reads = createCallersReads(nodes, { perSecond: 4, onLimit: () => undefined, nowMs: () => nowMs });
    const ask = (userId: string, what: string) =>
      codeOf(reads.read({ ...caller, userId }, CHAIN, { ...balance, params: [what] }));
    for (let short = 0; short < 3; short++) expect(await ask('a', 'short')).toBe('ok');
    expect([await ask('a', 'long'), await ask('a', 'long'), await ask('a', 'short')]).toEqual([
      'ok',
      'ok',
      'RATE_LIMIT_EXCEEDED',
    ]);
    expect(await ask('b', 'short')).toBe('ok');
    for (const user of ['b', 'c', 'd', 'e']) expect([await ask(user, 'long'), user]).toEqual(['ok', user]);
    expect(await ask('g', 'short')).toBe('RATE_LIMIT_EXCEEDED');
    nowMs = 60_000;
    expect(await ask('a', 'short')).toBe('ok');
  });

  test('D940: reads that are slow, too long, limited or unreadable do not make the service pause the endpoint', async () => {
    const results: Readonly<Record<string, unknown>> = {
      long: 'x'.repeat(1_100_000),
      limited: { error: { code: -32005, message: 'more than 10000 results' } },
      wide: 2 ** 60,
    };
    const nodes = await nodesOf(async (_, params) => {
      const [what = ''] = params as string[];
      if (what === 'slow') await sleep(1_500);
      return results[what] ?? '0x1';
    }, '1');
    const reads = readsOf(nodes, 100);
    for (const what of ['slow', 'long', 'limited', 'wide']) {
      expect(await codeOf(reads.read(caller, CHAIN, { ...balance, params: [what] }))).toBe('CHAIN_UNAVAILABLE');
      const own = { method: 'eth_getBalance', params: ['0x00'], result: hexQuantity };
      expect(await nodes.of(CHAIN).call(own)).toBe(1n);
    }
  });
});
