import { ServiceError } from '@countersign/contract';
import type { ChainClient } from '../chain-nodes/chain-client.ts';
import { responsesOf } from './node-responses.ts';
import { neverKnown, type SendRecord } from './send-record.ts';
import { type TronInfo, tronCalls } from './tron-node.ts';

type Answers = readonly (TronInfo | null)[];

/** What the nodes say about the transactions of an account. */
export interface TronView {
  /** By txID: what each endpoint says about final blocks. Null from one that does not know the transaction. */
  readonly final: ReadonlyMap<string, Answers>;
  /** The same about all blocks, for those that no endpoint has in a final one. */
  readonly newest: ReadonlyMap<string, Answers>;
  /** The lowest time of a newest final block. */
  readonly finalTime: number;
  /** The blocks since which transactions were signed that may have expired, and which every endpoint still has. */
  readonly kept: ReadonlySet<number>;
}

/** Several machines can be behind one endpoint. One that is this far behind can still answer. */
const MARGIN_MS = 60_000;

/** Until then, an operator can connect an endpoint that has the earlier blocks. */
const LONG_AFTER_MS = 24 * 60 * 60_000;

const isOver = ({ lifetime }: SendRecord, finalTime: number) =>
  finalTime > (lifetime?.until ?? Number.POSITIVE_INFINITY) + MARGIN_MS;

/** Asks all endpoints. Throws CHAIN_UNAVAILABLE, and then nothing changes. */
export async function viewOnTron(client: ChainClient, sends: readonly SendRecord[]): Promise<TronView> {
  const out = sends.filter(({ isOut }) => isOut);
  // The time comes first: a transaction in a block up to it is known to the later calls.
  const finalTime = await finalTimeOf(client);
  const final = await infos(client, out, 'walletsolidity');
  const open = out.filter(({ hash }) => final.get(hash)?.every((answer) => answer === null));
  const newest = await infos(client, open, 'wallet');
  const kept = new Set<number>();
  for (const { lifetime } of open.filter((send) => isOver(send, finalTime))) {
    const blocks = await client.callAll(tronCalls.block(lifetime?.since ?? 0));
    if (responsesOf(client, 'an earlier block', blocks).every((block) => block !== null)) kept.add(lifetime?.since ?? 0);
  }
  return { final, newest, finalTime: Math.min(finalTime, await finalTimeOf(client)), kept };
}

async function finalTimeOf(client: ChainClient): Promise<number> {
  const heads = responsesOf(client, 'their newest final block', await client.callAll(tronCalls.finalHead()));
  return Math.min(...heads.map(({ timestamp }) => timestamp));
}

async function infos(client: ChainClient, sends: readonly SendRecord[], where: 'wallet' | 'walletsolidity') {
  const found = new Map<string, Answers>();
  for (const { hash } of sends)
    found.set(hash, responsesOf(client, 'the state of transactions', await client.callAll(tronCalls.info(hash, where))));
  return found;
}

/**
 * The next state of a transaction that is out. Pure. Throws CHAIN_DISAGREEMENT if endpoints report it in different final blocks.
 * INVARIANT: D924: it has expired only if every endpoint has a final block later than its expiration, still has the blocks since it was signed,
 * and does not know it. Until then it may be executed.
 * INVARIANT: D949: what nobody can tell ends as unknown, a day of final blocks after its expiration, and never as failed.
 * SECURITY: D923: the lowest of what the endpoints say counts, so one that lies delays a final state and makes none.
 */
export function followedOnTron(send: SendRecord, { final, newest, finalTime, kept }: TronView): SendRecord {
  const answers = final.get(send.hash);
  if (!send.isOut || answers === undefined || send.lifetime === undefined) return send;
  const known = sameBlock(answers);
  if (known === 'DIFFERENT')
    throw new ServiceError('CHAIN_DISAGREEMENT', `The endpoints report ${send.hash} in different final blocks.`);
  if (known !== undefined) {
    const ended = { ...send, block: { number: known.block, isReverted: known.isFailed }, lastError: undefined };
    if (!known.isFailed) return { ...ended, state: 'COMPLETED' };
    const failure = `The transaction is in block ${known.block}, but its execution failed. The fee was paid, and nothing else happened.`;
    return { ...ended, state: 'FAILED', failure };
  }
  const waiting: SendRecord = { ...send, state: 'BROADCASTING', block: undefined };
  const isLongOver = finalTime > send.lifetime.until + LONG_AFTER_MS;
  const disputed = isLongOver ? neverKnown(send, 'the endpoints do not agree on it') : waiting;
  if (answers.some((answer) => answer !== null)) return disputed;
  const recent = newest.get(send.hash) ?? [];
  const block = sameBlock(recent);
  if (block !== undefined && block !== 'DIFFERENT')
    return { ...send, state: 'INCLUDED', block: { number: block.block, isReverted: block.isFailed }, lastError: undefined };
  if (recent.some((answer) => answer !== null)) return disputed;
  if (!isOver(send, finalTime)) return waiting;
  if (!kept.has(send.lifetime.since)) {
    const reason = `the nodes no longer have block ${send.lifetime.since}`;
    if (isLongOver) return neverKnown(send, reason);
    return { ...waiting, lastError: `${reason}, so they cannot tell whether it was executed` };
  }
  const failure = 'It expired: no block contains it, and later ones cannot. Nothing was executed, and no fee was paid.';
  return { ...waiting, state: 'FAILED', failure, lastError: undefined };
}

/** The block in which all endpoints report the transaction. Undefined if one does not know it. */
function sameBlock(answers: Answers): TronInfo | 'DIFFERENT' | undefined {
  const [first] = answers;
  if (first === undefined || answers.includes(null)) return undefined;
  const isSame = answers.every((answer) => answer?.block === first?.block && answer?.isFailed === first?.isFailed);
  return isSame ? (first ?? undefined) : 'DIFFERENT';
}
