import { blockhashOf, NO_BLOCKHASH, withBlockhash } from '@countersign/chains';
import { ServiceError } from '@countersign/contract';
import type { ChainClient } from '../chain-nodes/chain-client.ts';
import { NodeRejection } from '../chain-nodes/node-errors.ts';
import { responsesOf } from './node-responses.ts';
import { solanaCalls } from './solana-node.ts';

/** What the service asks the nodes before it signs a transaction. */
export interface SolanaFacts {
  readonly blockhash: string;
  /** The lowest slot that an endpoint reports. A block that contains the transaction is not older. */
  readonly since: number;
  /** No block above this height can contain a transaction with the blockhash. */
  readonly until: number;
}

/** What is made up for a request that nothing allows. */
export const unreadSolana: SolanaFacts = { blockhash: NO_BLOCKHASH, since: 0, until: 0 };

/** A blockhash can be used by the blocks of this number that follow it. */
const MAX_AGE = 150;

/** The blockhash that the caller chose. Undefined if the service chooses. Throws ChainError. */
export function chosenBlockhash(unsignedTransaction: string, recentBlockhash: string | undefined): string | undefined {
  return recentBlockhash ?? blockhashOf(unsignedTransaction);
}

/**
 * Finds a blockhash, or checks that of the caller, and tries the transaction. Throws CHAIN_UNAVAILABLE, CHAIN_DISAGREEMENT, or
 * TRANSACTION_INVALID if its execution would fail.
 */
export async function readSolanaFacts(
  client: ChainClient,
  unsignedTransaction: string,
  chosen: string | undefined,
): Promise<SolanaFacts> {
  const blockhash = chosen ?? (await client.call(solanaCalls.blockhash()).catch(unlessRejected));
  const transaction = withBlockhash(unsignedTransaction, blockhash);
  // SECURITY: D920: all endpoints must know it, so it is from this chain and not older than the blocks that are counted below.
  if (!(await client.agree(solanaCalls.isValid(blockhash)).catch(unlessRejected))) {
    throw new ServiceError(
      'TRANSACTION_INVALID',
      `The blockhash ${blockhash} is not one of the last ${MAX_AGE} blocks, so the transaction was not signed. Leave it out, as 32 zero bytes, and the service fills in the newest one.`,
    );
  }
  const heads = responsesOf(client, 'the height of their newest block', await client.callAll(solanaCalls.head('confirmed')));
  const heights = heads.map(({ height }) => height);
  // SECURITY: D920: the highest counts, so an endpoint cannot end the wait early. One that is far ahead could make it last forever.
  if (Math.max(...heights) - Math.min(...heights) > MAX_AGE) {
    throw new ServiceError(
      'CHAIN_DISAGREEMENT',
      `The endpoints of ${client.chain} report heights from ${Math.min(...heights)} to ${Math.max(...heights)}. Nothing was signed.`,
    );
  }
  await requireSuccess(client, transaction);
  return { blockhash, since: Math.min(...heads.map(({ slot }) => slot)), until: Math.max(...heights) + MAX_AGE };
}

async function requireSuccess(client: ChainClient, transaction: string): Promise<void> {
  const failure = await client.call(solanaCalls.simulate(transaction)).catch((error: unknown) => {
    if (error instanceof NodeRejection) return error.message;
    throw error;
  });
  if (failure === null) return;
  throw new ServiceError('TRANSACTION_INVALID', `The transaction would fail, so it was not signed: ${failure}.`);
}

function unlessRejected(error: unknown): never {
  if (!(error instanceof NodeRejection)) throw error;
  throw new ServiceError('CHAIN_UNAVAILABLE', `A node rejects a question about blockhashes: ${error.message}.`, { cause: error });
}
