import type { ServiceError } from '@countersign/contract';
import { base58 } from '@scure/base';
import { afterEach, describe, expect, test } from 'vitest';
import { createChainReads } from '../../src/chain-nodes/chain-reads.ts';
import { historyReaders } from '../../src/chain-nodes/history/histories.ts';
import type { AskedHistory, HistoryPage } from '../../src/chain-nodes/history/history.ts';
import { visibleLine } from '../../src/chain-nodes/history/visible-line.ts';
import { openChainNodes } from '../../src/chain-nodes/open-chain-nodes.ts';
import { hexQuantity } from '../../src/chain-nodes/quantities.ts';
import { readConfig } from '../../src/config/read-config.ts';
import { type Respond, serveNode } from './node-server.ts';

const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const OWN = `0x${'ab'.repeat(20)}`;
const OTHER = `0x${'11'.repeat(20)}`;
const TOKEN = `0x${'70'.repeat(20)}`;
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

type Json = Record<string, unknown>;
interface Filter {
  readonly fromBlock: string;
  readonly toBlock: string;
  readonly topics: readonly (string | null)[];
}

const word = (hex: string) => `0x${hex.padStart(64, '0')}`;
const topic = (address: string) => word(address.slice(2));

/** A transfer as a node shows it. */
const log = (block: number, logIndex: number, more: Json = {}): Json => ({
  address: TOKEN,
  topics: [TRANSFER, topic(OTHER), topic(OWN)],
  data: word('5'),
  blockNumber: `0x${block.toString(16)}`,
  blockHash: word(block.toString(16)),
  transactionHash: word(`${block}00${logIndex}`),
  transactionIndex: '0x0',
  logIndex: `0x${logIndex.toString(16)}`,
  removed: false,
  ...more,
});

async function open(chain: string, identity: unknown, nodes: readonly Respond[], historyBlocks = 100) {
  const servers = await Promise.all(
    nodes.map((respond) =>
      serveNode((method, params) =>
        method === 'eth_chainId' || method === 'getGenesisHash' ? identity : respond(method, params),
      ),
    ),
  );
  for (const server of servers) ends.push(server.close);
  const urls = servers.map(({ url }) => url);
  const config = readConfig(
    { chainEndpoints: JSON.stringify({ [chain]: urls }), chainNetworks: '127.0.0.0/8', chainTimeoutSeconds: '1' },
    {},
  );
  const log = { warn: () => undefined, error: () => undefined };
  const chainNodes = openChainNodes(config, { request: () => undefined, disagreement: () => undefined }, log as never);
  ends.push(chainNodes.close);
  const limits = { perSecond: 0, historyBlocks, onLimit: () => undefined, nowMs: () => performance.now() };
  return { reader: createChainReads(chainNodes, limits).of('tenant', chain), servers, health: () => chainNodes.health()[chain] };
}

/** What is asked of nodes with these logs received, and their history of `OWN`. Asked filters are collected. */
async function ethereum(answers: readonly ((filter: Filter) => unknown)[], heads: readonly number[] = [1_000], blocks = 100) {
  const filters: Filter[] = [];
  const nodes = answers.map(
    (answer, index): Respond =>
      (method, params) => {
        if (method === 'eth_blockNumber') return `0x${(heads[index] ?? heads[0] ?? 0).toString(16)}`;
        const [filter] = params as [Filter];
        filters.push(filter);
        return filter.topics.length === 3 ? answer(filter) : [];
      },
  );
  const opened = await open('eip155:1', '0x1', nodes, blocks);
  return {
    ...opened,
    filters,
    read: (asked: Partial<AskedHistory> = {}) =>
      historyReaders.eip155(opened.reader, OWN, { limit: 25, position: undefined, ...asked }),
  };
}

const errorOf = (reading: Promise<unknown>): Promise<ServiceError> =>
  reading.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: ServiceError) => error,
  );

/** The logs of a node that lie in the range of a filter. */
const within =
  (logs: readonly Json[]) =>
  ({ fromBlock, toBlock }: Filter) =>
    logs.filter(({ blockNumber }) => {
      const block = Number(blockNumber);
      return block >= Number(fromBlock) && block <= Number(toBlock);
    });

const places = ({ entries }: HistoryPage) => entries.map(({ block, transfer }) => `${block}.${transfer?.logIndex}`);

const tooMany = { code: -32602, message: 'query returns more than 10000 results' };

describe('transfers of tokens', () => {
  test('are asked for in ranges of blocks, and every page continues where the one before ended', async () => {
    const logs = [log(3, 0), log(901, 2), log(950, 1), log(950, 7), log(950, 9), log(1_000, 4)];
    const { read, filters } = await ethereum([within(logs)], [1_000], 100);
    const pages: string[][] = [];
    let position: string | undefined;
    do {
      const page = await read({ limit: 2, position });
      if (page.entries.length > 0) pages.push(places(page));
      position = page.next;
    } while (position !== undefined);
    expect(pages).toEqual([['1000.4', '950.9'], ['950.7', '950.1'], ['901.2'], ['3.0']]);
    for (const { fromBlock, toBlock } of filters) expect(Number(toBlock) - Number(fromBlock)).toBeLessThan(100);
    expect(filters.at(-1)?.fromBlock).toBe('0x0');
  });

  test('what contracts put into events that are no ERC-20 transfers is left out, and no error', async () => {
    const logs = [
      log(990, 0, { topics: [TRANSFER, topic(OTHER), topic(OWN), word('9')] }),
      log(990, 1, { data: '0x' }),
      log(990, 2, { data: `${word('1')}${'00'.repeat(32)}` }),
      log(990, 3, { topics: [TRANSFER, word(`1${OTHER.slice(2)}`), topic(OWN)] }),
      log(990, 4, { removed: true }),
      log(990, 5),
    ];
    const { read } = await ethereum([within(logs)]);
    expect(places(await read())).toEqual(['990.5']);
  });

  test('endpoints that list in another order agree, and the newest block is one that all have', async () => {
    const logs = [log(950, 1), log(950, 7), log(990, 4)];
    const { read, filters } = await ethereum([within(logs), within(logs.toReversed())], [1_000, 990]);
    expect(places(await read())).toEqual(['990.4', '950.7', '950.1']);
    expect(filters.every(({ toBlock }) => Number(toBlock) === 990)).toBe(true);
  });

  test('D933: a transfer that one endpoint invents or leaves out is not shown', async () => {
    const { read } = await ethereum([within([log(950, 1), log(960, 1)]), within([log(950, 1)])]);
    expect(await errorOf(read())).toMatchObject({ code: 'CHAIN_DISAGREEMENT' });
  });

  test.each([
    ['long ago', [1_000, 3]],
    ['of the future', [1_000, 9_000_000]],
  ])('D933: an endpoint whose newest block is %s does not hide what happened since', async (_what, heads) => {
    const { read, filters } = await ethereum([within([]), within([])], heads);
    expect(await errorOf(read())).toMatchObject({ code: 'CHAIN_DISAGREEMENT' });
    expect(filters).toEqual([]);
  });
});

describe('D931, D932: hostile responses with events', () => {
  test.each<[string, unknown]>([
    ['the receiver is another address', [log(990, 0, { topics: [TRANSFER, topic(OWN), topic(OTHER)] })]],
    ['the event is another one', [log(990, 0, { topics: [word('1'), topic(OTHER), topic(OWN)] })]],
    ['there is no receiver', [log(990, 0, { topics: [TRANSFER, topic(OTHER)] })]],
    ['the block is before the range', [log(900, 0)]],
    ['the block is after the range', [log(1_001, 0)]],
    ['the block is pending', [log(990, 0, { blockNumber: null })]],
    ['an event is there twice', [log(990, 0), log(990, 0)]],
    ['two events have one place', [log(990, 0), log(990, 0, { data: word('6') })]],
    ['a hash is too short', [log(990, 0, { transactionHash: '0x12' })]],
    ['an address is markup', [log(990, 0, { address: '<img src=x>' })]],
    ['a number is negative', [log(990, 0, { logIndex: '-0x1' })]],
    ['a number has 64 digits', [log(990, 0, { logIndex: word('f'.repeat(64)) })]],
    ['it is an object', { logs: [] }],
    ['it is null', null],
  ])('D932: %s: a failure of the node, which stays in use', async (_what, lie) => {
    let answer: unknown = lie;
    const { read, health } = await ethereum([() => answer]);
    expect(await errorOf(read({ limit: 10 }))).toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
    expect(health()?.[0]?.status).not.toBe('down');
    answer = [log(990, 0)];
    expect(places(await read({ limit: 11 }))).toEqual(['990.0']);
  });

  test('D931: a response without end is cut, fewer blocks are searched, and at last one block is left out', async () => {
    const flood = Array.from({ length: 3_000 }, (_, index) => log(1_000, index));
    const { read, filters, health } = await ethereum([() => flood]);
    expect(await read()).toMatchObject({ entries: [], searched: [1_000n, 1_000n], unlistedBlock: 1_000n, next: '999' });
    const ranges = filters
      .filter(({ topics }) => topics.length === 3)
      .map((each) => Number(each.toBlock) - Number(each.fromBlock));
    expect(ranges).toEqual([99, 6, 0]);
    expect(health()?.[0]?.status).not.toBe('down');
  });

  test('D938: blocks that somebody filled with transfers hide neither themselves nor the blocks before', async () => {
    const filled = Array.from({ length: 450 }, (_, index) => log(980 + (index % 2), index));
    const logs = [log(950, 1), ...filled, log(999, 0)];
    const { read } = await ethereum([(filter) => (filter.fromBlock === '0x385' ? { error: tooMany } : within(logs)(filter))]);
    const seen: string[] = [];
    let position: string | undefined;
    do {
      const page: HistoryPage = await read({ limit: 100, position });
      seen.push(...places(page));
      position = page.next;
    } while (position !== undefined && !seen.includes('950.1'));
    expect(seen).toHaveLength(452);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test.each<[string, unknown]>([
    ['a response that is too long', Array.from({ length: 3_000 }, (_, index) => log(980, index))],
    ['too many results', { error: tooMany }],
    ['too many results as a rate limit', { error: { code: -32005, message: 'query returned more than 10000 results' } }],
  ])('D955: a block that a node cannot list hides only itself, and is named: %s', async (_what, answer) => {
    const logs = [log(950, 1), log(979, 0), log(981, 0), log(999, 0)];
    const isIn = ({ fromBlock, toBlock }: Filter) => Number(fromBlock) <= 980 && Number(toBlock) >= 980;
    const { read, health } = await ethereum([(filter) => (isIn(filter) ? answer : within(logs)(filter))]);
    const seen: string[] = [];
    const unlisted: bigint[] = [];
    let position: string | undefined;
    for (let pages = 0; pages < 40 && !seen.includes('950.1'); pages++) {
      const page: HistoryPage = await read({ position });
      seen.push(...places(page));
      if (page.unlistedBlock !== undefined) unlisted.push(page.unlistedBlock);
      position = page.next;
    }
    expect([seen, unlisted]).toEqual([['999.0', '981.0', '979.0', '950.1'], [980n]]);
    expect(health()?.[0]?.status).not.toBe('down');
  });

  test('D955: a node that rejects a block for another reason leaves none out', async () => {
    const pruned = { code: -32000, message: 'failed to get logs for block #1000: pruned history unavailable' };
    const { read } = await ethereum([() => ({ error: pruned })]);
    expect(await errorOf(read())).toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
    const limited = { code: -32005, message: 'daily request count exceeded' };
    const { read: readLimited, filters } = await ethereum([() => ({ error: limited })]);
    expect(await errorOf(readLimited())).toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
    expect(filters.filter(({ topics }) => topics.length === 3)).toHaveLength(1);
  });

  test('D935: a search that takes a node too long does not make the service pause it', async () => {
    const { read, reader, health } = await ethereum([() => new Promise(() => {})]);
    expect(await errorOf(read())).toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
    expect(health()?.[0]?.status).toBe('up');
    expect(await reader.every({ method: 'eth_blockNumber', params: ['now'], result: hexQuantity })).toEqual([1_000n]);
  });
});

describe('transactions on Solana', () => {
  const signature = (fill: number) => base58.encode(new Uint8Array(64).fill(fill));
  const row = (fill: number, slot: number, more: Json = {}): Json => ({
    signature: signature(fill),
    slot,
    err: null,
    memo: null,
    blockTime: 1_700_000_000,
    confirmationStatus: 'finalized',
    ...more,
  });
  const position = `500.${signature(99)}`;

  async function solana(answer: () => unknown) {
    const { reader, health } = await open(SOLANA, '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', [answer]);
    const read = (asked: AskedHistory) => historyReaders.solana(reader, '4fYNw3dojWmQ4dXtSGE9epjRGy9pFSx62YypT7avPYvA', asked);
    return { read, health };
  }

  test('a page ends where the next one begins', async () => {
    const { read } = await solana(() => [row(1, 400), row(2, 400), row(3, 7, { err: { InstructionError: [0, 'Custom'] } })]);
    const page = await read({ limit: 3, position });
    expect(page.entries.map(({ block, isFailed }) => [block, isFailed])).toEqual([
      [400n, false],
      [400n, false],
      [7n, true],
    ]);
    expect(page.next).toBe(`7.${signature(3)}`);
    expect((await read({ limit: 4, position })).next).toBeUndefined();
  });

  test.each<[string, unknown]>([
    ['more than was asked for', [row(1, 9), row(2, 8), row(3, 7), row(4, 6)]],
    ['older ones first', [row(1, 7), row(2, 8)]],
    ['one twice', [row(1, 8), row(1, 8)]],
    ['the last one of the page before', [row(99, 500)]],
    ['one that is newer than the page before', [row(1, 501)]],
    ['a signature that is too short', [row(1, 8, { signature: base58.encode(new Uint8Array(63).fill(1)) })]],
    ['a signature that is markup', [row(1, 8, { signature: '<b>' })]],
    ['no state', [{ ...row(1, 8), err: undefined }]],
    ['a time in another millennium', [row(1, 8, { blockTime: 9e15 })]],
    ['a slot with a fraction', [row(1, 8.5)]],
    ['a memo that is an object', [row(1, 8, { memo: { text: 'x' } })]],
    ['two megabytes', [row(1, 8, { memo: 'x'.repeat(2_097_152) })]],
    ['null', null],
  ])('D931, D932: %s: a failure of the node, which stays in use', async (_what, lie) => {
    let answer: unknown = lie;
    const { read, health } = await solana(() => answer);
    expect(await errorOf(read({ limit: 3, position }))).toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
    expect(health()?.[0]?.status).not.toBe('down');
    answer = [row(1, 8)];
    expect((await read({ limit: 2, position })).entries).toHaveLength(1);
  });

  test('D934: a memo is one line of visible characters of bounded length', async () => {
    const { read } = await solana(() => [row(1, 8, { memo: `[9] a\u202eb\u0000\u2066\n\u200b\u3164c${'x'.repeat(5_000)}` })]);
    const [{ memo } = {}] = (await read({ limit: 3, position })).entries;
    expect(memo).toMatch(/^\[9\] a b cx+…$/);
    expect(memo).toHaveLength(256);
    expect(visibleLine(`e${'\u0301'.repeat(200)}`, 256)).toHaveLength(5);
  });
});

test.each([
  ['bip122', 'have no index of addresses'],
  ['tron', 'have no call that lists the transactions of an address'],
] as const)('on %s nothing is asked, and the refusal says why', async (namespace, why) => {
  const reader = { chain: `${namespace}:x`, call: expect.unreachable, every: expect.unreachable, agree: expect.unreachable };
  const error = await errorOf(historyReaders[namespace](reader as never, 'a', { limit: 1, position: undefined }));
  expect(error).toMatchObject({ code: 'NOT_OFFERED' });
  expect(error.message).toContain(why);
});
