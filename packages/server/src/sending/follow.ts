import { ServiceError } from '@countersign/contract';
import type { ChainClient } from '../chain-nodes/chain-client.ts';
import { ethereumCalls, highestPending } from './ethereum-node.ts';
import { isFinal, nonceAfter, type SendBlock, type SendRecord } from './send-record.ts';

/** What the nodes say about an account at one time. All endpoints agree on it. */
export interface ChainView {
  /** Number of the newest block that all endpoints have. */
  readonly head: number;
  /** Number of the account's transactions in the newest block. */
  readonly latest: number;
  /** The same with the transactions in the pool of a node. Asked only before a transaction is sent for the first time. */
  readonly pending: number;
  /** The same in a block that has enough confirmations, and that each node which answers certainly has. */
  readonly confirmed: number;
  /** The blocks that contain its transactions, by hash. */
  readonly blocks: ReadonlyMap<string, SendBlock>;
}

/** Full nodes have the state of about 128 blocks. */
const MAX_DEPTH = 120;

/**
 * How many blocks later than its confirmations a nonce counts as used by something else.
 * SECURITY: D1013: a provider answers each question from another node, and some are behind. A receipt that such a node does not have yet must not
 * pass for a payment that was not made: its caller would pay again.
 */
function blocksBehind(confirmations: number): number {
  return Math.max(0, Math.min(32, MAX_DEPTH - confirmations));
}

/** Asks the nodes about an account. Throws CHAIN_UNAVAILABLE or CHAIN_DISAGREEMENT, and then nothing changes. */
export async function viewAccount(
  client: ChainClient,
  account: string,
  active: readonly SendRecord[],
  confirmations: number,
): Promise<ChainView> {
  const head = await commonHead(client);
  // SECURITY: D743: a receipt or a number that only one of several endpoints reports changes no state.
  const [latest, pending, confirmed, receipts] = await Promise.all([
    client.agree(ethereumCalls.count(account, 'latest')),
    active.every(({ isOut }) => isOut) ? 0 : highestPending(client, account),
    client.agree(ethereumCalls.count(account, Math.max(0, head - confirmations - blocksBehind(confirmations) + 1))),
    Promise.all(active.filter(({ isOut }) => isOut).map(({ hash }) => client.agree(ethereumCalls.receipt(hash)))),
  ]);
  const found = receipts.filter((receipt) => receipt !== null);
  return {
    head,
    latest,
    pending: Math.max(latest, pending),
    confirmed,
    blocks: new Map(
      found.map(({ transactionHash, hash, number, isReverted }) => [transactionHash, { hash, number, isReverted }]),
    ),
  };
}

/** SECURITY: D751: the lowest number of all endpoints, because one that reports later blocks would add confirmations. */
async function commonHead(client: ChainClient): Promise<number> {
  const answers = await client.callAll(ethereumCalls.blockNumber());
  const numbers = answers.flatMap((answer) => (answer.status === 'ok' ? [answer.value] : []));
  if (numbers.length >= Math.min(2, client.endpoints)) return Math.min(...numbers);
  throw new ServiceError(
    'CHAIN_UNAVAILABLE',
    `Too few endpoints of ${client.chain} give the number of their newest block. Retry later.`,
  );
}

type Next = Partial<
  Pick<SendRecord, 'state' | 'block' | 'confirmations' | 'failure' | 'replacedBy' | 'replacedById' | 'lastError'>
>;

/**
 * The next state of a transaction. Pure.
 * INVARIANT: a final state needs the confirmations: of the block that contains the transaction, or of one that contains another transaction with
 * its nonce. Until then a reorganization takes it back.
 * INVARIANT: D907: of transactions that replace each other, all become final together. So the losers name the winner.
 */
export function followed(
  send: SendRecord,
  { head, confirmed, blocks }: ChainView,
  siblings: readonly SendRecord[],
  required: number,
): SendRecord {
  const next = (change: Next): SendRecord => ({ ...send, ...change });
  const confirmationsOf = ({ number }: SendBlock) => Math.max(0, head - number + 1);
  const lost = (failure: string, winner?: SendRecord): SendRecord =>
    next({
      state: 'CANCELLED',
      block: undefined,
      confirmations: 0,
      failure,
      replacedBy: winner?.hash,
      replacedById: winner?.id,
      lastError: undefined,
    });
  const block = blocks.get(send.hash);
  if (send.isOut && block !== undefined) {
    const confirmations = confirmationsOf(block);
    if (confirmations < required) return next({ state: 'INCLUDED', block, confirmations, lastError: undefined });
    if (!block.isReverted) return next({ state: 'COMPLETED', block, confirmations, lastError: undefined });
    const failure = `The transaction is in block ${block.number}, but its execution failed. The fee was paid, and nothing else happened.`;
    return next({ state: 'FAILED', block, confirmations, failure, lastError: undefined });
  }
  const winner = siblings.find(({ hash, nonce }) => {
    const its = nonce === send.nonce && hash !== send.hash ? blocks.get(hash) : undefined;
    return its !== undefined && confirmationsOf(its) >= required;
  });
  if (winner !== undefined) return lost(`The transaction ${winner.hash} used the nonce ${send.nonce}.`, winner);
  if (!send.isOut) return send;
  if (confirmed > send.nonce && !siblings.some((each) => each.nonce === send.nonce && blocks.has(each.hash)))
    return lost(
      `Another transaction used the nonce ${send.nonce}. The service did not send it, so something else uses this account.`,
    );
  // A reorganization removed the block, or no block contains it yet.
  return next({ state: 'BROADCASTING', block: undefined, confirmations: 0 });
}

/** The nonces below which all transactions of an account are final. */
export function nextFloor(floor: number, sends: readonly SendRecord[]): number {
  // Only a block that contains the transaction uses all of its nonces.
  const used = sends
    .filter((send) => isFinal(send) && send.isOut)
    .map((send) => (send.block === undefined ? send.nonce + 1 : nonceAfter(send)));
  return Math.max(floor, ...used);
}
