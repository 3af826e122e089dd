import type { BitcoinSpends, SpentOutput } from '@countersign/chains';
import { ServiceError } from '@countersign/contract';
import type { ChainClient } from '../chain-nodes/chain-client.ts';
import { type BitcoinCoin, bitcoinCalls } from './bitcoin-node.ts';
import { responsesOf } from './node-responses.ts';

/** What the service knows of a transaction after it asked the nodes. */
export interface BitcoinFacts {
  /** The outputs that it spends, as all nodes have them. */
  readonly spends: readonly string[];
}

/** The name of an output. */
export const outpointOf = ({ txId, vout }: Pick<SpentOutput, 'txId' | 'vout'>): string => `${txId}:${vout}`;

/** A lock time of this or more is in seconds; below, it is a block height. */
const LOCKTIME_THRESHOLD = 500_000_000;
/** The outputs of a block's first transaction can be spent after so many blocks. */
const COINBASE_MATURITY = 100;

/**
 * Asks the nodes whether the next block can contain the transaction. Throws CHAIN_UNAVAILABLE or PRECONDITION_FAILED.
 * SECURITY: D927: a caller can state other amounts in each request (CVE-2020-14199), so the fee that approvers saw is the true one only if
 * every endpoint has each output with this amount and script.
 */
export async function readBitcoinFacts(client: ChainClient, { outputs, lockTime }: BitcoinSpends): Promise<BitcoinFacts> {
  const infos = responsesOf(client, 'the state of their chain', await client.callAll(bitcoinCalls.info()));
  if (infos.some(({ isSyncing }) => isSyncing))
    throw new ServiceError('CHAIN_UNAVAILABLE', `An endpoint of ${client.chain} still downloads its blocks. Retry later.`);
  await requireIndexed(client);
  const height = Math.min(...infos.map(({ head }) => head.number));
  const time = Math.min(...infos.map(({ medianTime }) => medianTime));
  // SECURITY: D929: what the nodes reject because it is too early ends as failed, and can be paid later nevertheless.
  const isEarly = lockTime < LOCKTIME_THRESHOLD ? lockTime > height : lockTime >= time;
  if (isEarly) throw cannotSend(`it has the lock time ${lockTime}, and the newest block of all endpoints is ${height}`);
  await Promise.all(outputs.map((output, index) => requireCoin(client, output, index)));
  return { spends: outputs.map(outpointOf) };
}

/** INVARIANT: without the index a node does not know transactions in blocks, so that one which was paid would seem lost. */
export async function requireIndexed(client: ChainClient): Promise<void> {
  const answers = responsesOf(client, 'the state of their indexes', await client.callAll(bitcoinCalls.isIndexed()));
  if (answers.every((isIndexed) => isIndexed)) return;
  throw new ServiceError(
    'CHAIN_UNAVAILABLE',
    `An endpoint of ${client.chain} has no complete index of transactions, without which the service cannot follow a payment. The operator sets txindex=1 in the configuration of the node and waits until the index is built.`,
  );
}

async function requireCoin(client: ChainClient, output: SpentOutput, index: number): Promise<void> {
  const { txId, vout, satoshis, script } = output;
  const coins = responsesOf(client, 'outputs of transactions', await client.callAll(bitcoinCalls.coin(txId, vout, true)));
  for (const coin of coins) {
    const problem = problemOf(coin, satoshis, script);
    if (problem !== undefined) throw cannotSend(`input ${index} spends ${outpointOf(output)}, ${problem}`);
  }
}

function problemOf(coin: BitcoinCoin | null, satoshis: bigint, script: string): string | undefined {
  if (coin === null) return 'which an endpoint does not know, or which another transaction spends';
  if (coin.confirmations === 0) return 'which is in no block yet';
  if (coin.satoshis !== satoshis) return `which has ${coin.satoshis} satoshis, and not ${satoshis} as the PSBT says`;
  if (coin.script !== script) return 'which has another script than the PSBT says';
  if (coin.isCoinbase && coin.confirmations < COINBASE_MATURITY) return 'a mining reward that cannot be spent yet';
  return undefined;
}

const cannotSend = (reason: string) =>
  new ServiceError('PRECONDITION_FAILED', `The transaction cannot be sent: ${reason}. Nothing was signed.`);
