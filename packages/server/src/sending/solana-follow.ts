import { ServiceError } from '@countersign/contract';
import type { ChainClient } from '../chain-nodes/chain-client.ts';
import { responsesOf } from './node-responses.ts';
import { neverKnown, type SendRecord } from './send-record.ts';
import { type SolanaStatus, solanaCalls } from './solana-node.ts';

/** What the nodes say about the transactions of an account. */
export interface SolanaView {
  /** By hash: what each endpoint says. Null from one that does not know the transaction. */
  readonly statuses: ReadonlyMap<string, readonly (SolanaStatus | null)[]>;
  /** The lowest height of a final block that an endpoint reports. */
  readonly finalHeight: number;
  /** The first block that every endpoint still has. Asked only if a transaction may have expired. */
  readonly firstBlock: number;
}

/** Blocks of about a day. Until then, an operator can connect an endpoint that has the earlier blocks. */
const LONG_AFTER = 216_000;

const CONFIRMED = 2;
const FINAL = 3;

/** Asks all endpoints. Throws CHAIN_UNAVAILABLE, and then nothing changes. */
export async function viewTransactions(client: ChainClient, sends: readonly SendRecord[]): Promise<SolanaView> {
  const out = sends.filter(({ isOut }) => isOut);
  // The height comes first: a transaction in a block up to it is known to the later call.
  const heads = await client.callAll(solanaCalls.head('finalized'));
  const finalHeads = responsesOf(client, 'the height of their newest final block', heads);
  const finalHeight = Math.min(...finalHeads.map(({ height }) => height));
  const finalSlot = Math.max(...finalHeads.map(({ slot }) => slot));
  const statuses = new Map<string, readonly (SolanaStatus | null)[]>();
  for (let rest = out; rest.length > 0; ) {
    const page = await client.callAll(solanaCalls.statuses(rest.map(({ hash }) => hash)));
    // SECURITY: D921: several machines can be behind one endpoint, and one that is behind does not know what happened.
    const current = page.filter((answer) => answer.status !== 'ok' || answer.value.slot >= finalSlot);
    const values = responsesOf(client, 'the states of transactions, with their history', current).map(({ value }) => value);
    const count = values[0]?.length ?? rest.length;
    for (const [at, { hash }] of rest.slice(0, count).entries())
      statuses.set(
        hash,
        values.map((each) => each[at] ?? null),
      );
    rest = rest.slice(count);
  }
  const mayBeExpired = out.some(({ lifetime }) => finalHeight > (lifetime?.until ?? Number.POSITIVE_INFINITY));
  const firstBlock = mayBeExpired
    ? Math.max(...responsesOf(client, 'their first block', await client.callAll(solanaCalls.firstBlock())))
    : 0;
  return { statuses, finalHeight, firstBlock };
}

/**
 * The next state of a transaction that is out. Pure. Throws CHAIN_DISAGREEMENT if endpoints report it in different final blocks.
 * INVARIANT: D921: it has expired only if every endpoint has a final block above the last height that can contain it, still has all blocks since
 * it was signed, and does not know it. Until then it may be executed.
 * INVARIANT: D949: what nobody can tell ends as unknown, a day of final blocks after the last one that can contain it, and never as failed.
 * SECURITY: D920: the lowest of what the endpoints say counts, so one that lies delays a final state and makes none.
 */
export function followedOnSolana(send: SendRecord, { statuses, finalHeight, firstBlock }: SolanaView): SendRecord {
  const answers = statuses.get(send.hash);
  if (!send.isOut || answers === undefined || send.lifetime === undefined) return send;
  const found = answers.filter((answer) => answer !== null);
  const [first] = found;
  if (first === undefined) return unknownToAll(send, finalHeight, firstBlock, send.lifetime);
  const level = found.length < answers.length ? 0 : Math.min(...found.map((each) => each.level));
  const isSame = found.every(({ slot, isFailed }) => slot === first.slot && isFailed === first.isFailed);
  if (level >= FINAL && !isSame)
    throw new ServiceError('CHAIN_DISAGREEMENT', `The endpoints report ${send.hash} in different final blocks.`);
  if (level < CONFIRMED || !isSame)
    return isLongOver(send, finalHeight) ? neverKnown(send, 'the endpoints do not agree on it') : waiting(send);
  const included = { ...send, block: { number: first.slot, isReverted: first.isFailed }, confirmations: 0, lastError: undefined };
  if (level < FINAL) return { ...included, state: 'INCLUDED' };
  if (!first.isFailed) return { ...included, state: 'COMPLETED' };
  const failure = `The transaction is in the block of slot ${first.slot}, but its execution failed. The fee was paid, and nothing else happened.`;
  return { ...included, state: 'FAILED', failure };
}

/** By the lowest final height of all endpoints, so one that lies delays it. */
const isLongOver = ({ lifetime }: SendRecord, finalHeight: number): boolean =>
  lifetime !== undefined && finalHeight > lifetime.until + LONG_AFTER;

const waiting = (send: SendRecord): SendRecord => ({ ...send, state: 'BROADCASTING', block: undefined, confirmations: 0 });

function unknownToAll(
  send: SendRecord,
  finalHeight: number,
  firstBlock: number,
  { since, until }: NonNullable<SendRecord['lifetime']>,
): SendRecord {
  if (finalHeight <= until) return waiting(send);
  if (firstBlock > since) {
    const reason = `the nodes no longer have the blocks since slot ${since}`;
    if (isLongOver(send, finalHeight)) return neverKnown(send, reason);
    return { ...waiting(send), lastError: `${reason}, so they cannot tell whether it was executed` };
  }
  const failure = `It expired: no block up to height ${until} contains it, and later ones cannot. Nothing was executed, and no fee was paid.`;
  return { ...waiting(send), state: 'FAILED', failure, lastError: undefined };
}
