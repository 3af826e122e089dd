import { createHash } from 'node:crypto';
import { NO_TRON_REFERENCE, type TronReference } from '@countersign/chains';
import { ServiceError } from '@countersign/contract';
import type { ChainClient } from '../chain-nodes/chain-client.ts';
import { NodeRejection } from '../chain-nodes/node-errors.ts';
import { responsesOf } from './node-responses.ts';
import { tronCalls } from './tron-node.ts';

/** What the service asks the nodes before it signs a transaction. */
export interface TronFacts extends TronReference {
  /** The number of the final block. A block that contains the transaction is later. */
  readonly since: number;
  readonly balance: bigint;
}

/** What is made up for a request that nothing allows. */
export const unreadTron: TronFacts = { ...NO_TRON_REFERENCE, expiration: '1', since: 0, balance: 0n };

/** How long a transaction is valid after the newest block if the service chooses. */
const LIFE_MS = 5 * 60_000;
/** Blocks contain only transactions that expire within a day. */
const MAX_LIFE_MS = 24 * 60 * 60_000;
/** Endpoints of one chain have its blocks at about the same time. */
const MAX_APART_MS = 60_000;

/**
 * Finds a reference block, or checks the expiration of the caller and that no block contains the transaction. Throws CHAIN_UNAVAILABLE,
 * CHAIN_DISAGREEMENT, TRANSACTION_INVALID or PRECONDITION_FAILED.
 */
export async function readTronFacts(
  client: ChainClient,
  account: string,
  unsignedTransaction: string,
  chosen: TronReference | undefined,
): Promise<TronFacts> {
  try {
    const finals = responsesOf(client, 'their newest final block', await client.callAll(tronCalls.finalHead()));
    const heads = responsesOf(client, 'their newest block', await client.callAll(tronCalls.head()));
    const times = heads.map(({ timestamp }) => timestamp);
    const newest = Math.max(...times);
    if (newest - Math.min(...times) > MAX_APART_MS) {
      throw new ServiceError(
        'CHAIN_DISAGREEMENT',
        `The newest blocks of the endpoints of ${client.chain} are ${newest - Math.min(...times)} ms apart. Nothing was signed.`,
      );
    }
    const since = Math.min(...finals.map(({ number }) => number));
    const balance = await client.agree(tronCalls.balance(account));
    if (chosen !== undefined) {
      requireAlive(chosen, newest);
      await requireNew(client, unsignedTransaction);
      return { ...chosen, since, balance };
    }
    // SECURITY: D923: all endpoints must have the block, so it is from this chain.
    const block = await client.agree(tronCalls.block(since));
    if (block === null)
      throw new ServiceError('CHAIN_UNAVAILABLE', `The endpoints of ${client.chain} do not have block ${since}.`);
    const { id } = block;
    return { refBlockBytes: id.slice(12, 16), refBlockHash: id.slice(16, 32), expiration: `${newest + LIFE_MS}`, since, balance };
  } catch (error) {
    if (!(error instanceof NodeRejection)) throw error;
    throw new ServiceError('CHAIN_UNAVAILABLE', `A node rejects a question: ${error.message}.`, { cause: error });
  }
}

/** SECURITY: D1015: what no block can contain yet would wait for its time, keep its place and its funds, and be paid then. */
function requireAlive({ expiration }: TronReference, newest: number): void {
  const lifeMs = BigInt(expiration) - BigInt(newest);
  if (lifeMs > 0n && lifeMs <= MAX_LIFE_MS) return;
  throw new ServiceError(
    'TRANSACTION_INVALID',
    `The transaction ${lifeMs > 0n ? 'expires more than a day after the newest block' : 'has expired'}, so it was not signed. Zeros for the reference block leave the block and the expiration to the service.`,
  );
}

/**
 * SECURITY: D1019: the chain executes the same bytes once. The service finds earlier requests with them by their bytes, and not what was signed
 * elsewhere, nor what earlier releases sent with a name.
 */
async function requireNew(client: ChainClient, unsignedTransaction: string): Promise<void> {
  const id = createHash('sha256')
    .update(Buffer.from(unsignedTransaction.replace(/^0x/i, ''), 'hex'))
    .digest('hex');
  const answers = await client.callAll(tronCalls.info(id, 'wallet'));
  const found = responsesOf(client, 'the state of transactions', answers).find((info) => info !== null);
  if (found === undefined || found === null) return;
  throw new ServiceError(
    'PRECONDITION_FAILED',
    `Block ${found.block} contains the transaction ${id} already. The chain executes the same bytes once, so nothing was sent again. Send another transaction for another payment.`,
  );
}
