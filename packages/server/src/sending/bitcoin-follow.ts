import type { Answer, ChainClient } from '../chain-nodes/chain-client.ts';
import { requireIndexed } from './bitcoin-facts.ts';
import { type BitcoinFound, bitcoinCalls, UNKNOWN_TRANSACTION } from './bitcoin-node.ts';
import { responsesOf } from './node-responses.ts';
import type { KnownBlock, SendRecord } from './send-record.ts';

/** What each endpoint says about a transaction. Null from one that does not know it. */
type Answers = readonly (BitcoinFound | null)[];

/** The outputs of transactions that something else spent. */
interface Losses {
  /** By transaction id: one of the outputs. */
  readonly spent: ReadonlyMap<string, string>;
  /** The newest block that all endpoints have. They reported the outputs as spent in blocks up to it. */
  readonly head: KnownBlock;
  /** The hashes of the blocks at which this was first seen, by number. */
  readonly hashes: ReadonlyMap<number, string>;
}

/** What the nodes say about the transactions of an account. */
export interface BitcoinView {
  /** By transaction id. */
  readonly found: ReadonlyMap<string, Answers>;
  /** The number of a block, by its hash. */
  readonly numbers: ReadonlyMap<string, number>;
  readonly losses: Losses | undefined;
}

/** Several machines can be behind one endpoint. One that is so many blocks behind can still answer. */
const BLOCKS_BEHIND = 3;

/** Asks all endpoints. Throws CHAIN_UNAVAILABLE or CHAIN_DISAGREEMENT, and then nothing changes. */
export async function viewOnBitcoin(client: ChainClient, sends: readonly SendRecord[]): Promise<BitcoinView> {
  const out = sends.filter(({ isOut }) => isOut);
  const found = new Map<string, Answers>();
  const numbers = new Map<string, number>();
  for (const { hash } of out) {
    const answers = await findOn(client, hash);
    found.set(hash, answers);
    const block = sameBlock(answers);
    if (block !== undefined) numbers.set(block.hash, await client.agree(bitcoinCalls.blockNumber(block.hash)));
  }
  const unknown = out.filter(({ hash }) => found.get(hash)?.every((answer) => answer === null));
  return { found, numbers, losses: await lossesOf(client, unknown) };
}

/** Undefined if nothing is lost, or if a reorganization happened between the questions. */
async function lossesOf(client: ChainClient, unknown: readonly SendRecord[]): Promise<Losses | undefined> {
  if (unknown.length === 0) return undefined;
  await requireIndexed(client);
  const before = await commonHead(client);
  const spent = new Map<string, string>();
  for (const { hash, spends = [] } of unknown) {
    const outpoint = await firstSpent(client, spends);
    if (outpoint !== undefined) spent.set(hash, outpoint);
  }
  if (spent.size === 0) return undefined;
  const head = await commonHead(client);
  const hashes = new Map<number, string>();
  for (const number of [before.number, head.number, ...unknown.flatMap(({ spentAt }) => spentAt?.number ?? [])])
    if (number <= head.number) hashes.set(number, await client.agree(bitcoinCalls.blockHash(number)));
  const isSameChain = [before, head].every(({ number, hash }) => hashes.get(number) === hash);
  return isSameChain ? { spent, head, hashes } : undefined;
}

/** The newest block of the endpoint with the fewest. */
async function commonHead(client: ChainClient): Promise<KnownBlock> {
  const infos = responsesOf(client, 'the state of their chain', await client.callAll(bitcoinCalls.info()));
  const heads = infos.map(({ head }) => head).sort((one, other) => one.number - other.number);
  return heads[0] as KnownBlock;
}

async function findOn(client: ChainClient, id: string): Promise<Answers> {
  const answers = await client.callAll(bitcoinCalls.transaction(id));
  const read = answers.map((answer): Answer<BitcoinFound | null> => {
    const isUnknown = answer.status === 'rejected' && answer.rejection.code === UNKNOWN_TRANSACTION;
    return isUnknown ? { host: answer.host, status: 'ok', value: null } : answer;
  });
  return responsesOf(client, 'the state of transactions', read);
}

/**
 * The first output that a block spends for every endpoint. An output whose own transaction lost its block is not spent: it may come back.
 */
async function firstSpent(client: ChainClient, spends: readonly string[]): Promise<string | undefined> {
  for (const outpoint of spends) {
    const [txId = '', vout = ''] = outpoint.split(':');
    const coins = responsesOf(
      client,
      'outputs of transactions',
      await client.callAll(bitcoinCalls.coin(txId, Number(vout), false)),
    );
    if (coins.some((coin) => coin !== null)) continue;
    const created = await findOn(client, txId);
    if (created.every((answer) => answer?.block !== undefined)) return outpoint;
  }
  return undefined;
}

/** The block in which all endpoints report the transaction, with the fewest confirmations. Undefined if one does not. */
function sameBlock(answers: Answers): BitcoinFound['block'] {
  const blocks = answers.map((answer) => answer?.block);
  const [first] = blocks;
  if (first === undefined || !blocks.every((block) => block?.hash === first.hash)) return undefined;
  return { hash: first.hash, confirmations: Math.min(...blocks.map((block) => block?.confirmations ?? 0)) };
}

/**
 * The next state of a transaction that is out. Pure.
 * INVARIANT: D928: it has lost its coins only if no endpoint knows it, and one of its coins is spent in a block that has the confirmations, and
 * some more, for all endpoints. A reorganization starts the count again. Until then a block can still contain it.
 */
export function followedOnBitcoin(send: SendRecord, view: BitcoinView, required: number): SendRecord {
  const answers = view.found.get(send.hash);
  if (!send.isOut || answers === undefined) return send;
  const block = sameBlock(answers);
  if (block !== undefined) {
    const { hash, confirmations } = block;
    const number = view.numbers.get(hash) ?? 0;
    const included = {
      ...send,
      block: { number, hash, isReverted: false },
      confirmations,
      spentAt: undefined,
      lastError: undefined,
    };
    return { ...included, state: confirmations < required ? 'INCLUDED' : 'COMPLETED' };
  }
  const waiting: SendRecord = { ...send, state: 'BROADCASTING', block: undefined, confirmations: 0, spentAt: undefined };
  const outpoint = view.losses?.spent.get(send.hash);
  if (view.losses === undefined || outpoint === undefined) return waiting;
  const { head, hashes } = view.losses;
  const since = send.spentAt !== undefined && hashes.get(send.spentAt.number) === send.spentAt.hash ? send.spentAt : head;
  if (head.number - since.number < required + BLOCKS_BEHIND) return { ...waiting, spentAt: since };
  const failure = `Another transaction spent ${outpoint}. The service did not send it, so something else uses this key. Nothing was paid.`;
  return { ...waiting, spentAt: since, state: 'CANCELLED', failure, lastError: undefined };
}
