import { ServiceError } from '@countersign/contract';
import { z } from 'zod';
import type { ChainClient } from '../chain-nodes/chain-client.ts';
import type { Call } from '../chain-nodes/endpoint.ts';
import { NodeRejection } from '../chain-nodes/node-errors.ts';
import type { NodeNonces } from './assign-nonce.ts';

const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt);
/** A count or block number. */
const small = quantity.transform(Number).refine(Number.isSafeInteger);
const hash = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .transform((text) => text.toLowerCase());

/** EIP-7907 allows more than EIP-170, and longer code is no delegation anyway. */
const code = z.string().regex(/^0x([0-9a-fA-F]{2})*$/);

const receipt = z
  .object({ transactionHash: hash, blockHash: hash, blockNumber: small, status: quantity.optional() })
  .transform(({ transactionHash, blockHash, blockNumber, status }) => ({
    transactionHash,
    hash: blockHash,
    number: blockNumber,
    isReverted: status === 0n,
  }))
  .nullable();

const block = z.object({ number: small, baseFeePerGas: quantity.optional() });

const hex = (value: number | bigint) => `0x${value.toString(16)}`;

/** The JSON-RPC calls of Ethereum nodes that sending needs. */
export const ethereumCalls = {
  count: (account: string, at: 'latest' | 'pending' | number): Call<number> => ({
    method: 'eth_getTransactionCount',
    params: [account, typeof at === 'number' ? hex(at) : at],
    result: small,
  }),
  balance: (account: string): Call<bigint> => ({ method: 'eth_getBalance', params: [account, 'latest'], result: quantity }),
  block: (): Call<z.output<typeof block>> => ({ method: 'eth_getBlockByNumber', params: ['latest', false], result: block }),
  code: (account: string): Call<string> => ({ method: 'eth_getCode', params: [account, 'latest'], result: code }),
  blockNumber: (): Call<number> => ({ method: 'eth_blockNumber', params: [], result: small }),
  priorityFee: (): Call<bigint> => ({ method: 'eth_maxPriorityFeePerGas', params: [], result: quantity }),
  gasPrice: (): Call<bigint> => ({ method: 'eth_gasPrice', params: [], result: quantity }),
  estimateGas: (call: Readonly<Record<string, string>>): Call<bigint> => ({
    method: 'eth_estimateGas',
    params: [call],
    result: quantity,
  }),
  receipt: (transactionHash: string): Call<z.output<typeof receipt>> => ({
    method: 'eth_getTransactionReceipt',
    params: [transactionHash],
    result: receipt,
  }),
  send: (signed: string): Call<string> => ({
    method: 'eth_sendRawTransaction',
    params: [`0x${signed.replace(/^0x/, '')}`],
    result: hash,
  }),
};

/** What the service asks the nodes before it signs a transaction. */
export interface EthereumFacts extends NodeNonces {
  readonly balance: bigint;
  /** Undefined on a chain without EIP-1559. */
  readonly baseFee: bigint | undefined;
  readonly priorityFee: bigint;
  /** Of a chain without EIP-1559. */
  readonly gasPrice: bigint;
  readonly gas: bigint;
}

const DEFAULT_PRIORITY_FEE = 1_000_000_000n;
/** EIP-7825. */
const MAX_GAS = 16_777_216n;

/** Reads the facts for a transaction. Throws CHAIN_UNAVAILABLE, CHAIN_DISAGREEMENT, or TRANSACTION_INVALID if its execution would fail. */
export async function readEthereumFacts(
  client: ChainClient,
  call: { readonly from: string; readonly to: string; readonly value: string; readonly data: string },
  knownGas: bigint | undefined,
  { agreesOnBalance = false }: { readonly agreesOnBalance?: boolean } = {},
): Promise<EthereumFacts> {
  const { from } = call;
  // SECURITY: D913: by the balance, a sponsor pays. One endpoint alone must not claim that an account is empty.
  const balanceOf = agreesOnBalance ? client.agree : client.call;
  // SECURITY: D743: all endpoints must give the same number. A wrong nonce makes the account wait, or replaces another transaction.
  const [latest, pending, balance, newest, gas] = await Promise.all([
    client.agree(ethereumCalls.count(from, 'latest')),
    highestPending(client, from),
    balanceOf(ethereumCalls.balance(from)),
    client.call(ethereumCalls.block()),
    knownGas === undefined ? estimate(client, call) : knownGas,
  ]).catch(unlessRejected);
  const { baseFeePerGas: baseFee } = newest;
  const [priorityFee, gasPrice] =
    baseFee === undefined
      ? [0n, await client.call(ethereumCalls.gasPrice()).catch(unlessRejected)]
      : [await client.call(ethereumCalls.priorityFee()).catch(orDefault), 0n];
  return { latest, pending, balance, baseFee, priorityFee, gasPrice, gas };
}

/** The number of an account's transactions with those in pools, of the endpoint that knows most. */
export async function highestPending(client: ChainClient, account: string): Promise<number> {
  const answers = await client.callAll(ethereumCalls.count(account, 'pending'));
  return Math.max(0, ...answers.flatMap((answer) => (answer.status === 'ok' ? [answer.value] : [])));
}

async function estimate(
  client: ChainClient,
  { from, to, value, data }: { readonly from: string; readonly to: string; readonly value: string; readonly data: string },
): Promise<bigint> {
  try {
    const estimated = await client.call(ethereumCalls.estimateGas({ from, to, value: hex(BigInt(value)), data }));
    // The state can change before the execution. A plain transfer always takes the same.
    const gas = estimated === 21_000n ? estimated : (estimated * 5n) / 4n;
    return gas > MAX_GAS ? MAX_GAS : gas;
  } catch (error) {
    if (!(error instanceof NodeRejection)) throw error;
    throw new ServiceError(
      'TRANSACTION_INVALID',
      `The nodes reject the transaction, so it was not signed: ${error.message}. Correct it, or give gasLimit to send it anyway.`,
      { cause: error },
    );
  }
}

function unlessRejected(error: unknown): never {
  if (!(error instanceof NodeRejection)) throw error;
  throw new ServiceError('CHAIN_UNAVAILABLE', `A node rejects a question about the account: ${error.message}.`, { cause: error });
}

/** Some nodes do not have the method. */
function orDefault(error: unknown): bigint {
  if (error instanceof NodeRejection) return DEFAULT_PRIORITY_FEE;
  throw error;
}
