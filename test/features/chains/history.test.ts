import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveNode } from '../../../packages/server/test/chain-nodes/node-server.ts';
import { type Anvil, missingAnvil, startAnvil, withAnvil } from '../../support/anvil.ts';
import { deployToken } from '../../support/anvil-token.ts';
import { createBitcoinLedger } from '../../support/bitcoin-ledger.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { type Installation, preparedEngines } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { createTronLedger } from '../../support/tron-ledger.ts';
import { createSubOrganization, createWallet, errorOf } from '../../support/world.ts';
import { bitcoinAccount, bitcoinConfig, serveBitcoin } from '../sending/bitcoin-support.ts';
import { CHAIN, fundedAccount, RECEIVER, reach, sendingConfig } from '../sending/support.ts';
import { fundedTron, serveTron, tronConfig } from '../sending/tron-support.ts';

const TOKEN = `0x${'70'.repeat(20)}`;
const SPAM = `0x${'5a'.repeat(20)}`;
const STRANGER = `0x${'22'.repeat(20)}`;
const BLOCKS = 50;

const transferCall = (to: string, amount: bigint) =>
  `0xa9059cbb${to.slice(2).toLowerCase().padStart(64, '0')}${amount.toString(16).padStart(64, '0')}`;

describe.skipIf(missingAnvil !== undefined)(withAnvil('the history of an account on an EVM chain'), () => {
  let anvil: Anvil;
  let installation: Installation;
  let service: TestService;
  let root: Caller;

  beforeAll(async () => {
    anvil = await startAnvil();
    installation = await preparedEngines.sqlite();
    service = await startService(installation, { config: { ...sendingConfig([anvil.url]), chainHistoryBlocks: BLOCKS } });
    root = service.root;
    await root.result('createTokens', { tokens: [{ asset: `${CHAIN}/erc20:${TOKEN}`, symbol: 'OWN', decimals: 3 }] });
    await deployToken(anvil, TOKEN, STRANGER, 1_000_000n);
    await deployToken(anvil, SPAM, STRANGER, 1_000_000n);
    await anvil.fund(STRANGER);
    await anvil.call('anvil_impersonateAccount', [STRANGER]);
  });
  afterAll(async () => {
    await service?.close();
    await installation?.remove();
    await anvil?.stop();
  });

  const receive = (token: string, to: string, amount: bigint): Promise<string> =>
    anvil.call('eth_sendTransaction', [{ from: STRANGER, to: token, data: transferCall(to, amount) }]);

  const historyOf = (address: string, more: object = {}): Promise<Json> =>
    root.data('listAddressTransactions', { address, caip2: CHAIN, ...more });

  /** Every entry, page by page, and the ranges that were searched. Waits until the service asks for the newest block again. */
  async function wholeHistoryOf(address: string, limit: string) {
    const newest = async () => String(BigInt(await anvil.call<string>('eth_blockNumber')));
    // The node may still mine a transaction.
    const isSeen = async () => (await historyOf(address, { limit })).searched.toBlock === (await newest());
    await expect.poll(isSeen, { timeout: 30_000, interval: 200 }).toBe(true);
    const entries: Json[] = [];
    const searched: Json[] = [];
    let cursor: string | undefined;
    do {
      const page = await historyOf(address, { limit, ...(cursor !== undefined && { cursor }) });
      expect(page.entries.length).toBeLessThanOrEqual(Number(limit));
      entries.push(...page.entries);
      searched.push(page.searched);
      cursor = page.next;
    } while (cursor !== undefined);
    return { entries, searched };
  }

  test('D937: transfers of a listed token and of another one, over several ranges of blocks, and only the listed one has a name', async () => {
    const account = await fundedAccount(root, anvil);
    const received = await receive(TOKEN, account, 2_500n);
    await anvil.mine(2 * BLOCKS);
    const sending = { from: account, caip2: CHAIN, to: TOKEN, value: '0', data: transferCall(RECEIVER, 1_000n) };
    const { sendTransactionStatusId } = await root.result('ethSendTransaction', sending);
    const { eth } = await reach(root, sendTransactionStatusId, 'INCLUDED');
    const spam = await receive(SPAM, account, 7n);
    await receive(TOKEN, RECEIVER, 5n);
    // A payment of ether, which is not listed.
    await anvil.call('eth_sendTransaction', [{ from: STRANGER, to: account, value: '0x1' }]);
    const own = account.toLowerCase();
    const { entries, searched } = await wholeHistoryOf(account, '1');
    expect(entries.map(({ block: _, ...entry }) => entry)).toEqual([
      {
        transactionHash: spam,
        status: 'SUCCEEDED',
        transfer: { caip19: `${CHAIN}/erc20:${SPAM}`, from: STRANGER, to: own, amount: '7', logIndex: '0' },
      },
      {
        transactionHash: eth.txHash,
        status: 'SUCCEEDED',
        transfer: {
          ...{ caip19: `${CHAIN}/erc20:${TOKEN}`, symbol: 'OWN', decimals: 3, from: own, to: RECEIVER },
          ...{ amount: '1000', display: { crypto: '1' }, logIndex: '0' },
        },
      },
      {
        transactionHash: received,
        status: 'SUCCEEDED',
        transfer: {
          ...{ caip19: `${CHAIN}/erc20:${TOKEN}`, symbol: 'OWN', decimals: 3, from: STRANGER, to: own },
          ...{ amount: '2500', display: { crypto: '2.5' }, logIndex: '0' },
        },
      },
    ]);
    for (const { fromBlock, toBlock } of searched) expect(Number(toBlock) - Number(fromBlock)).toBeLessThan(BLOCKS);
    expect(searched.at(-1)).toMatchObject({ fromBlock: '0' });
    expect((await historyOf(account, { limit: '99' })).coverage).toBe('TOKEN_TRANSFERS');
  });

  test('several transfers in one block, and one to the account itself, are listed once each', async () => {
    const account = await fundedAccount(root, anvil);
    await receive(TOKEN, account, 100n);
    const data = transferCall(account, 3n);
    await anvil.call('anvil_impersonateAccount', [account]);
    await anvil.call('evm_setAutomine', [false]);
    try {
      for (const amount of [1n, 2n]) await receive(TOKEN, account, amount);
      await anvil.call('eth_sendTransaction', [{ from: account, to: TOKEN, data }]);
      await anvil.mine();
    } finally {
      await anvil.call('evm_setAutomine', [true]);
    }
    const paged = (await wholeHistoryOf(account, '1')).entries;
    expect(paged).toHaveLength(4);
    expect(paged).toEqual((await wholeHistoryOf(account, '50')).entries);
    expect(new Set(paged.map(({ transactionHash }) => transactionHash)).size).toBe(4);
  });

  test('D935: nobody chooses the blocks that are searched', async () => {
    const account = await fundedAccount(root, anvil);
    const { next } = await historyOf(account, { limit: '1' });
    const [block, mac] = next.split('.');
    expect((await historyOf(account, { cursor: next })).searched.toBlock).toBe(block);
    for (const cursor of [`${Number(block) + 1_000_000}.${mac}`, `0.${mac}`, `${block}.0.${mac}`, `-1.${mac}`, `${block}`])
      expect(errorOf(await root.query('listAddressTransactions', { address: account, caip2: CHAIN, cursor })), cursor).toEqual({
        status: 400,
        code: 'REQUEST_INVALID',
        fields: ['cursor'],
      });
    for (const more of [{ limit: '101' }, { limit: '0' }, { fromBlock: '0' }, { cursor: 'x'.repeat(257) }])
      expect((await root.query('listAddressTransactions', { address: account, caip2: CHAIN, ...more })).status).toBe(400);
  });

  test('D936: only accounts of the organization, and no cursor of another one', async () => {
    const account = await fundedAccount(root, anvil);
    const { caller } = await createSubOrganization(root);
    const [foreign] = (await createWallet(caller)).addresses;
    const unknown = { status: 404, code: 'NOT_FOUND', fields: ['address'] };
    for (const [asker, address] of [
      [root, STRANGER],
      [root, foreign],
      [caller, account],
    ] as const)
      expect(errorOf(await asker.query('listAddressTransactions', { address, caip2: CHAIN }))).toEqual(unknown);
    const { next: cursor } = await historyOf(account, { limit: '1' });
    const answer = await caller.query('listAddressTransactions', { address: foreign, caip2: CHAIN, cursor });
    expect(errorOf(answer)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['cursor'] });
  });

  test('D932: a lying node causes an error, and the log names its host', async () => {
    const liar = await serveNode(async (method, params) => {
      const result = await anvil.call(method, params as unknown[]);
      if (method !== 'eth_getLogs') return result;
      return (result as Json[]).map((log) => ({ ...log, topics: [log.topics[0], log.topics[2], log.topics[1]] }));
    });
    const own = await preparedEngines.sqlite();
    const second = await startService(own, { config: sendingConfig([liar.url]) });
    try {
      const [address] = (await createWallet(second.root)).addresses as [string];
      await receive(TOKEN, address, 1n);
      const answer = await second.root.query('listAddressTransactions', { address, caip2: CHAIN });
      expect(errorOf(answer)).toEqual({ status: 503, code: 'CHAIN_UNAVAILABLE' });
      expect(JSON.stringify(answer.body)).not.toContain(liar.host);
    } finally {
      await second.close();
      await own.remove();
      await liar.close();
    }
  });
});

test('on Bitcoin and Tron the refusal says why, and no node is asked', async () => {
  const ledgers = { tron: createTronLedger(), bitcoin: createBitcoinLedger() };
  const [tron, bitcoin] = [await serveTron(ledgers.tron), await serveBitcoin(ledgers.bitcoin)];
  const installation = await preparedEngines.sqlite();
  const configs = [tronConfig(ledgers.tron, [tron]), bitcoinConfig(ledgers.bitcoin, [bitcoin])];
  const chainEndpoints = configs.flatMap((config) => config.chainEndpoints ?? []);
  const { root, close } = await startService(installation, { config: { ...configs[0], chainEndpoints } });
  try {
    const accounts = [
      [ledgers.tron.chain, await fundedTron(root, ledgers.tron), 'no call that lists the transactions of an address'],
      [ledgers.bitcoin.chain, (await bitcoinAccount(root, ledgers.bitcoin)).address, 'no index of addresses'],
    ] as const;
    for (const [caip2, address, why] of accounts) {
      const answer = await root.query('listAddressTransactions', { address, caip2 });
      expect(errorOf(answer)).toEqual({ status: 501, code: 'NOT_OFFERED' });
      expect(answer.body.message).toContain(why);
    }
  } finally {
    await close();
    await installation.remove();
    await Promise.all([tron.close(), bitcoin.close()]);
  }
});
