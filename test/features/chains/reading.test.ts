import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveNode } from '../../../packages/server/test/chain-nodes/node-server.ts';
import { type Anvil, missingAnvil, startAnvil, withAnvil } from '../../support/anvil.ts';
import type { Caller } from '../../support/caller.ts';
import { type Installation, preparedEngines } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createMember, createPrivateKey, createSubOrganization, createWallet, errorOf, uniqueName } from '../../support/world.ts';

const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const USDT = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const DAI = '0x6B175474E89094C44Da98b954EedeAC495271d0F';
const OWN = '0x00000000000000000000000000000000000abcd1';

/** A contract that answers with an amount if the argument is this owner, and with 0 otherwise. */
const tokenOf = (owner: string, amount: number) =>
  `0x73${owner.slice(2)}60043514${`63${amount.toString(16).padStart(8, '0')}`}0260005260206000f3`;

interface Scene {
  readonly service: TestService;
  readonly installation: Installation;
}

async function serve(endpoints: Readonly<Record<string, readonly string[]>>, perSecond = 0): Promise<Scene> {
  const installation = await preparedEngines.sqlite();
  const service = await startService(installation, {
    config: {
      chainEndpoints: Object.entries(endpoints).map(([chain, urls]) => ({ chain, endpoints: urls.map((url) => ({ url })) })),
      chainNetworks: ['127.0.0.0/8'],
      chainReadsPerOrganization: perSecond,
    },
  });
  return { installation, service };
}

async function end({ service, installation }: Scene): Promise<void> {
  await service.close();
  await installation.remove();
}

/** A node in front of another one that changes some results. */
const inFrontOf = (node: Anvil, changed: Readonly<Record<string, unknown>>) =>
  serveNode(async (method, params) => changed[method] ?? (await node.call(method, params as unknown[])));

describe.skipIf(missingAnvil !== undefined)(withAnvil('reading an Ethereum node'), () => {
  let anvil: Anvil;
  let other: Anvil;
  let scene: Scene;
  let root: Caller;
  let address: string;

  beforeAll(async () => {
    anvil = await startAnvil({ chainId: 1 });
    other = await startAnvil({ chainId: 8453 });
    scene = await serve({ 'eip155:1': [anvil.url], 'eip155:8453': [other.url], 'eip155:10': [other.url] });
    root = scene.service.root;
    [address] = (await createWallet(root)).addresses as [string];
    await anvil.call('anvil_setBalance', [address, '0xde0b6b3a7640001']);
    await anvil.call('anvil_setNonce', [address, '0x7']);
  });
  afterAll(async () => {
    if (scene) await end(scene);
    await Promise.all([anvil?.stop(), other?.stop()]);
  });

  test('get_nonces gives the nonce of an account and of a private key', async () => {
    const caip2 = 'eip155:1';
    expect(await root.data('getNonces', { address, caip2, nonce: true })).toEqual({ nonce: '7' });
    expect(await root.data('getNonces', { address, caip2 })).toEqual({});
    const privateKeyId = await createPrivateKey(root, 'CURVE_SECP256K1', ['ADDRESS_FORMAT_ETHEREUM']);
    const { privateKey } = await root.data('getPrivateKey', { privateKeyId });
    const [own] = privateKey.addresses;
    expect(await root.data('getNonces', { address: own.address, caip2, nonce: true })).toEqual({ nonce: '0' });
    expect(errorOf(await root.query('getNonces', { address, caip2, gasStationNonce: true }))).toEqual({
      status: 400,
      code: 'REQUEST_INVALID',
      fields: ['gasStationNonce'],
    });
  });

  test('get_wallet_address_balances gives the coin and the listed tokens that the account has', async () => {
    await root.result('createTokens', { tokens: [{ asset: `eip155:1/erc20:${OWN}`, symbol: 'OWN', decimals: 3 }] });
    await anvil.call('anvil_setCode', [USDC, tokenOf(address, 2_500_000)]);
    await anvil.call('anvil_setCode', [OWN, tokenOf(address, 1)]);
    await anvil.call('anvil_setCode', [DAI, tokenOf(DAI, 5)]);
    const { balances } = await root.data('getWalletAddressBalances', { address, caip2: 'eip155:1' });
    expect(balances).toEqual([
      {
        caip19: 'eip155:1/slip44:60',
        symbol: 'ETH',
        decimals: 18,
        balance: '1000000000000000001',
        display: { crypto: '1.000000000000000001' },
      },
      {
        caip19: `eip155:1/erc20:${USDC.toLowerCase()}`,
        symbol: 'USDC',
        decimals: 6,
        balance: '2500000',
        display: { crypto: '2.5' },
      },
      { caip19: `eip155:1/erc20:${OWN.toLowerCase()}`, symbol: 'OWN', decimals: 3, balance: '1', display: { crypto: '0.001' } },
    ]);
  });

  test.each([
    ['uses all gas', '0x5b600056'],
    ['reverts', '0x60006000fd'],
    ['answers with less than a word', '0x60016000f3'],
    ['answers with a megabyte', '0x620fffff6000f3'],
    ['is not a contract', '0x'],
  ])('a token that %s leaves the others as they are', async (_what, code) => {
    await anvil.call('anvil_setCode', [USDT, code]);
    const { addresses } = await createWallet(root);
    const [owner] = addresses as [string];
    await anvil.call('anvil_setCode', [USDC, tokenOf(owner, 9)]);
    const { balances } = await root.data('getWalletAddressBalances', { address: owner, caip2: 'eip155:1' });
    expect(balances.map(({ symbol, balance }: { symbol: string; balance: string }) => [symbol, balance])).toEqual([
      ['ETH', '0'],
      ['USDC', '9'],
    ]);
  });

  test('list_supported_assets lists what balances show', async () => {
    const { assets } = await root.data('listSupportedAssets', { caip2: 'eip155:8453' });
    expect(assets[0]).toEqual({ caip19: 'eip155:8453/slip44:60', symbol: 'ETH', decimals: 18 });
    expect(assets).toContainEqual({
      caip19: 'eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
      symbol: 'USDC',
      decimals: 6,
    });
  });

  test('get_fee_suggestion gives fees with which a transaction is accepted', async () => {
    const { suggestions } = await root.data('getFeeSuggestion', { caip2: 'eip155:8453' });
    expect(suggestions.map(({ speed }: { speed: string }) => speed)).toEqual(['SLOW', 'NORMAL', 'FAST']);
    const block = (await other.call('eth_getBlockByNumber', ['latest', false])) as { baseFeePerGas: string };
    for (const { maxFeePerGas } of suggestions) expect(BigInt(maxFeePerGas)).toBeGreaterThanOrEqual(BigInt(block.baseFeePerGas));
  });

  test('a chain without an endpoint is refused with the name of the setting', async () => {
    const answer = await root.query('getFeeSuggestion', { caip2: 'solana:mainnet' });
    expect(errorOf(answer)).toEqual({ status: 501, code: 'NOT_OFFERED' });
    expect(answer.body.message).toContain('solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp');
    expect(answer.body.message).toContain('chainEndpoints');
    expect(errorOf(await root.query('getFeeSuggestion', { caip2: 'cosmos:hub' }))).toMatchObject({
      status: 400,
      fields: ['caip2'],
    });
  });

  test('D762: an endpoint of another chain is not used', async () => {
    const answer = await root.query('getNonces', { address, caip2: 'eip155:10', nonce: true });
    expect(errorOf(answer)).toEqual({ status: 503, code: 'CHAIN_UNAVAILABLE' });
    expect(JSON.stringify(answer.body)).not.toContain('127.0.0.1');
    expect(scene.service.logText()).toContain('it is a node of eip155:8453, not of eip155:10');
  });

  test('D765: only addresses of the organization can be asked for', async () => {
    const stranger = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
    const { caller } = await createSubOrganization(root);
    for (const [asker, asked] of [
      [root, stranger],
      [caller, address],
    ] as const) {
      for (const name of ['getNonces', 'getWalletAddressBalances'] as const) {
        const more = name === 'getNonces' ? { nonce: true } : {};
        const answer = await asker.query(name, { address: asked, caip2: 'eip155:1', ...more });
        expect(errorOf(answer)).toEqual({ status: 404, code: 'NOT_FOUND', fields: ['address'] });
      }
    }
  });

  test('D320: with read policies, a user without rights reads fees only', async () => {
    const { caller: top } = await createSubOrganization(root);
    const { addresses } = await createWallet(top);
    const { caller } = await createMember(top);
    await top.result('setOrganizationFeature', { name: 'FEATURE_NAME_READ_POLICIES', value: '' });
    const fields = { address: addresses[0], caip2: 'eip155:1' };
    const denied = { status: 403, code: 'POLICY_DENIED' };
    expect(errorOf(await caller.query('getNonces', { ...fields, nonce: true }))).toEqual(denied);
    expect(errorOf(await caller.query('getWalletAddressBalances', fields))).toEqual(denied);
    expect(errorOf(await caller.query('listSupportedAssets', { caip2: 'eip155:1' }))).toEqual(denied);
    expect((await caller.query('getFeeSuggestion', { caip2: 'eip155:1' })).status).toBe(200);
    await top.result('createPolicy', {
      policyName: uniqueName('Policy'),
      effect: 'EFFECT_ALLOW',
      condition: "activity.action == 'READ' && activity.resource in ['WALLET', 'TOKEN']",
      consensus: 'true',
    });
    expect((await caller.query('getWalletAddressBalances', fields)).status).toBe(200);
    expect(errorOf(await caller.query('getNonces', { ...fields, nonce: true }))).toEqual(denied);
  });
});

describe.skipIf(missingAnvil !== undefined)(withAnvil('several endpoints'), () => {
  test('D763: a nonce or balance that one endpoint invents is not shown', async () => {
    const anvil = await startAnvil({ chainId: 1 });
    const liar = await inFrontOf(anvil, { eth_getTransactionCount: '0x9' });
    const scene = await serve({ 'eip155:1': [anvil.url, liar.url] });
    try {
      const { root } = scene.service;
      const [address] = (await createWallet(root)).addresses;
      const answer = await root.query('getNonces', { address, caip2: 'eip155:1', nonce: true });
      expect(errorOf(answer)).toEqual({ status: 503, code: 'CHAIN_DISAGREEMENT' });
      expect(JSON.stringify(answer.body)).not.toContain(liar.host);
      expect(scene.service.logText()).toContain(liar.host);
      const { balances } = await root.data('getWalletAddressBalances', { address, caip2: 'eip155:1' });
      expect(balances).toMatchObject([{ balance: '0' }]);
      const metrics = await scene.service.services.statistics.metrics.expose();
      expect(metrics).toContain('countersign_chain_disagreements_total{chain="eip155:1"} 1');
    } finally {
      await end(scene);
      await liar.close();
      await anvil.stop();
    }
  });

  test('the service continues with the next endpoint when a node ends, and returns to it', async () => {
    const [first, second] = [await startAnvil({ chainId: 1 }), await startAnvil({ chainId: 1 })];
    const scene = await serve({ 'eip155:1': [first.url, second.url] });
    let restarted: Anvil | undefined;
    try {
      const { root, services } = scene.service;
      const ask = async () => (await root.query('getFeeSuggestion', { caip2: 'eip155:1' })).status;
      expect(await ask()).toBe(200);
      await first.stop();
      await expect.poll(ask, { timeout: 30_000, interval: 500 }).toBe(200);
      await expect
        .poll(async () => [await ask(), services.chainNodes.health()['eip155:1']?.[0]?.status], {
          timeout: 30_000,
          interval: 500,
        })
        .toEqual([200, 'down']);
      restarted = await startAnvil({ chainId: 1, port: Number(new URL(first.url).port) });
      await expect
        .poll(async () => [await ask(), services.chainNodes.health()['eip155:1']?.[0]?.status], {
          timeout: 60_000,
          interval: 1_000,
        })
        .toEqual([200, 'up']);
    } finally {
      await end(scene);
      await Promise.all([second.stop(), restarted?.stop()]);
    }
  }, 150_000);
});

describe('D764: a tenant cannot flood the nodes of the operator', () => {
  test('D764: requests of an organization and its sub-organizations share a budget, and others have their own', async () => {
    const node = await serveNode((method) => (method === 'eth_chainId' ? '0x1' : '0x5'));
    const scene = await serve({ 'eip155:1': [node.url] }, 1);
    try {
      const { root } = scene.service;
      const { addresses } = await createWallet(root, 40);
      const { caller } = await createSubOrganization(root);
      const own = await createWallet(caller, 20);
      const ask = async (asker: Caller, address: string) =>
        (await asker.query('getNonces', { address, caip2: 'eip155:1', nonce: true })).status;
      const startMs = Date.now();
      const statuses = await Promise.all([
        ...addresses.map((address) => ask(root, address)),
        ...own.addresses.map((address) => ask(caller, address)),
      ]);
      const seconds = (Date.now() - startMs) / 1000;
      expect(new Set(statuses)).toEqual(new Set([200, 429]));
      expect(node.methods.filter((method) => method === 'eth_getTransactionCount').length).toBeLessThanOrEqual(
        5 + Math.ceil(seconds),
      );
    } finally {
      await end(scene);
      await node.close();
    }
  });

  test('D764: equal reads share one request', async () => {
    const node = await serveNode((method) => (method === 'eth_chainId' ? '0x1' : '0x5'));
    const scene = await serve({ 'eip155:1': [node.url] }, 1);
    try {
      const { root } = scene.service;
      const [address] = (await createWallet(root)).addresses;
      const asked = Array.from({ length: 30 }, () => root.query('getNonces', { address, caip2: 'eip155:1', nonce: true }));
      const statuses = (await Promise.all(asked)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([200]));
      expect(node.methods.filter((method) => method === 'eth_getTransactionCount').length).toBeLessThan(10);
    } finally {
      await end(scene);
      await node.close();
    }
  });
});
