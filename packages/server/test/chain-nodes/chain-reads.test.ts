import { text } from 'node:stream/consumers';
import type { ServiceError } from '@countersign/contract';
import { afterEach, describe, expect, test } from 'vitest';
import { balanceReaders } from '../../src/chain-nodes/balances.ts';
import { createChainReads } from '../../src/chain-nodes/chain-reads.ts';
import { feeSuggestions } from '../../src/chain-nodes/fee-suggestions.ts';
import { type ChainNodes, openChainNodes } from '../../src/chain-nodes/open-chain-nodes.ts';
import { hexQuantity } from '../../src/chain-nodes/quantities.ts';
import { readConfig } from '../../src/config/read-config.ts';
import { serveHttp } from '../notify/webhooks/loopback-server.ts';
import { type Respond, serveNode } from './node-server.ts';

const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const BITCOIN = 'bip122:000000000019d6689c085ae165831e93';
const TRON = 'tron:0x2b6653dc';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const identities: Readonly<Record<string, unknown>> = {
  eth_chainId: '0x1',
  getGenesisHash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  getblockhash: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
};

function nodesAt(chain: string, ...urls: string[]): ChainNodes {
  const config = readConfig({ chainEndpoints: JSON.stringify({ [chain]: urls }), chainNetworks: '127.0.0.0/8' }, {});
  const log = { warn: () => undefined, error: () => undefined };
  const nodes = openChainNodes(config, { request: () => undefined, disagreement: () => undefined }, log as never);
  ends.push(nodes.close);
  return nodes;
}

async function nodesOf(chain: string, ...nodes: Respond[]): Promise<ChainNodes> {
  const servers = await Promise.all(
    nodes.map((respond) => serveNode((method, params) => identities[method] ?? respond(method, params))),
  );
  for (const server of servers) ends.push(server.close);
  return nodesAt(chain, ...servers.map(({ url }) => url));
}

const readsOf = (nodes: ChainNodes, perSecond = 0, onLimit = (_limit: string) => {}) =>
  createChainReads(nodes, { perSecond, historyBlocks: 1_000, onLimit, nowMs: () => performance.now() });

const readerOf = async (chain: string, ...nodes: Respond[]) => readsOf(await nodesOf(chain, ...nodes)).of('tenant', chain);

describe('the budget of a tenant', () => {
  const nonceOf = (address: string) => ({ method: 'eth_getTransactionCount', params: [address], result: hexQuantity });

  test('D764: counts requests and not reads, and each tenant has one', async () => {
    const nodes = await nodesOf(
      'eip155:1',
      () => '0x1',
      () => '0x1',
    );
    const limits: string[] = [];
    const reads = readsOf(nodes, 0.8, (limit) => limits.push(limit));
    const ask = (tenant: string, address: string) => reads.of(tenant, 'eip155:1').agree(nonceOf(address));
    // Four requests at most, and each read asks two endpoints.
    await ask('one', '0x1');
    await ask('one', '0x2');
    const error = await ask('one', '0x3').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    expect((error as ServiceError).retryAtMs).toBeGreaterThan(Date.now());
    expect(limits).toEqual(['chainReadsPerOrganization']);
    expect(await ask('two', '0x3')).toBe(1n);
    // A result that somebody just asked for costs nothing.
    expect(await ask('one', '0x3')).toBe(1n);
  });

  test('D764: few reads wait for a node at a time, whatever the budget', async () => {
    const released: (() => void)[] = [];
    const nodes = await nodesOf('eip155:1', () => new Promise((resolve) => released.push(() => resolve('0x1'))));
    const limits: string[] = [];
    const reader = readsOf(nodes, 0, (limit) => limits.push(limit)).of('tenant', 'eip155:1');
    const asked = Array.from({ length: 40 }, (_, index) =>
      reader.call(nonceOf(`0x${index}`)).then(
        () => 'ok',
        (error: ServiceError) => error.code,
      ),
    );
    await expect.poll(() => released.length).toBe(16);
    expect(limits.length).toBe(24);
    for (const release of released) release();
    const outcomes = await Promise.all(asked);
    expect(outcomes.filter((outcome) => outcome === 'ok').length).toBe(16);
  }, 20_000);

  test('a failure is not kept', async () => {
    let fails = true;
    const nodes = await nodesOf('eip155:1', () => (fails ? { error: { code: -32000, message: 'missing trie node' } } : '0x5'));
    const reader = readsOf(nodes).of('tenant', 'eip155:1');
    const error = await reader.call(nonceOf('0x1')).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'CHAIN_UNAVAILABLE', reason: 'missing trie node' });
    expect((error as Error).message).not.toContain('trie');
    fails = false;
    expect(await reader.call(nonceOf('0x1'))).toBe(5n);
  });
});

describe('balances', () => {
  const owner = '4fYNw3dojWmQ4dXtSGE9epjRGy9pFSx62YypT7avPYvA';
  const account = (mint: string, amount: string, holder = owner) => ({
    pubkey: 'x',
    account: { rentEpoch: 0, data: { parsed: { info: { mint, owner: holder, tokenAmount: { amount, uiAmount: 0.1 } } } } },
  });
  const solanaNode =
    (accounts: readonly unknown[]): Respond =>
    (method, params) => {
      const [, { programId } = { programId: '' }] = params as [string, { programId: string }];
      if (method === 'getBalance') return { context: { slot: 1 }, value: 12 };
      return { context: { slot: 2 }, value: programId.startsWith('Tokenkeg') ? accounts : [] };
    };

  test('Solana: accounts of a token are added, in any order, and only those of the owner', async () => {
    const rows = [
      account('A', '5'),
      account('B', '18446744073709551615'),
      account('A', '7'),
      account('A', '9', 'someone else'),
      account('C', '1'),
    ];
    const reader = await readerOf(SOLANA, solanaNode(rows), solanaNode(rows.toReversed()));
    expect(await balanceReaders.solana(reader, owner, ['A', 'B', 'D'])).toEqual({
      coin: 12n,
      tokens: [
        { reference: 'A', balance: 12n, program: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' },
        { reference: 'B', balance: 18446744073709551615n, program: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' },
      ],
    });
  });

  test('D763: Solana: an endpoint that leaves out an account is noticed', async () => {
    const reader = await readerOf(SOLANA, solanaNode([account('A', '5')]), solanaNode([]));
    await expect(balanceReaders.solana(reader, owner, ['A'])).rejects.toMatchObject({ code: 'CHAIN_DISAGREEMENT' });
  });

  test('Tron: the coin and listed tokens, also of an address that never received anything', async () => {
    let accounts: object = { balance: 7 };
    const asked: unknown[] = [];
    const server = await serveHttp(async (request, response) => {
      const body = JSON.parse(await text(request));
      const results: Readonly<Record<string, unknown>> = {
        '/wallet/getblockbynum': { blockID: '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc' },
        '/wallet/getaccount': accounts,
        '/wallet/triggerconstantcontract': { result: { result: true }, constant_result: [`${'0'.repeat(62)}ff`] },
      };
      if (request.url === '/wallet/triggerconstantcontract') asked.push(body);
      response.end(JSON.stringify(results[request.url ?? '']));
    });
    ends.push(server.close);
    const address = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8';
    const read = (tokens: readonly string[]) =>
      balanceReaders.tron(readsOf(nodesAt(TRON, `http://127.0.0.1:${server.port}`)).of('tenant', TRON), address, tokens);
    const usdt = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
    expect(await read([usdt])).toEqual({ coin: 7n, tokens: [{ reference: usdt, balance: 255n }] });
    expect(asked).toEqual([
      {
        owner_address: address,
        contract_address: usdt,
        function_selector: 'balanceOf(address)',
        parameter: '0000000000000000000000005cbdd86a2fa8dc4bddd8a8f69dba48572eec07fb',
        visible: true,
      },
    ]);
    accounts = {};
    expect(await read([])).toEqual({ coin: 0n, tokens: [] });
  });

  test('Bitcoin: nodes have no index of addresses', async () => {
    const reader = await readerOf(BITCOIN, () => null);
    await expect(balanceReaders.bip122(reader, 'bc1q', [])).rejects.toMatchObject({ code: 'NOT_OFFERED' });
  });
});

describe('fees', () => {
  test('of an EVM chain without a history of fees are its gas price', async () => {
    const reader = await readerOf('eip155:1', (method) =>
      method === 'eth_gasPrice' ? '0x10' : { error: { code: -32601, message: '' } },
    );
    expect(await feeSuggestions.eip155(reader)).toEqual([{ maxFeePerGas: 16n }, { maxFeePerGas: 16n }, { maxFeePerGas: 16n }]);
  });

  test('of Solana are quantiles of the recent ones', async () => {
    const fees = Array.from({ length: 100 }, (_, index) => ({ slot: index, prioritizationFee: 99 - index }));
    const reader = await readerOf(SOLANA, () => fees);
    expect(await feeSuggestions.solana(reader)).toEqual([
      { computeUnitPrice: 25n },
      { computeUnitPrice: 50n },
      { computeUnitPrice: 90n },
    ]);
    expect(await feeSuggestions.solana(await readerOf(SOLANA, () => []))).toMatchObject([{ computeUnitPrice: 0n }, {}, {}]);
  });

  test('of Bitcoin are rounded up to satoshis, and a node that knows too little says so', async () => {
    const rates: Readonly<Record<number, number>> = { 25: 0.00001, 6: 0.00002001, 2: 0.000123456789 };
    const reader = await readerOf(BITCOIN, (_method, params) => ({
      feerate: rates[(params as number[])[0] as number],
      blocks: 1,
    }));
    expect(await feeSuggestions.bip122(reader)).toEqual([
      { satoshisPerKilobyte: 1_000n },
      { satoshisPerKilobyte: 2_001n },
      { satoshisPerKilobyte: 12_346n },
    ]);
    const silent = await readerOf(BITCOIN, () => ({ errors: ['Insufficient data'], blocks: 2 }));
    await expect(feeSuggestions.bip122(silent)).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
  });
});
