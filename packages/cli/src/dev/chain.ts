import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { CliError, UsageError } from '../errors.ts';
import { printable } from '../terminal.ts';
import { isTestChain, type PaymentTerms } from './payment.ts';

/** Timeout of a node's response. */
const TIMEOUT_MS = 10_000;

/** State of an account on the node, and the current terms of a payment. */
export interface ChainState extends PaymentTerms {
  readonly balance: bigint;
}

/** Reads the terms of a payment from `address` from an Ethereum node. Throws CliError for a response that violates EIP-1474. */
export async function readChain(rpcUrl: string, address: string): Promise<ChainState> {
  const [chainId, nonce, gasPrice, maxPriorityFeePerGas, balance] = await Promise.all([
    quantityOf(rpcUrl, 'eth_chainId', []),
    quantityOf(rpcUrl, 'eth_getTransactionCount', [address, 'pending']),
    quantityOf(rpcUrl, 'eth_gasPrice', []),
    quantityOf(rpcUrl, 'eth_maxPriorityFeePerGas', []),
    quantityOf(rpcUrl, 'eth_getBalance', [address, 'latest']),
  ]);
  if (!isTestChain(chainId))
    throw new CliError(
      `The node is on chain ${chainId}, which is not a known test chain.`,
      'Use a test network, or give a local fork another chain id: anvil --fork-url … --chain-id 31337.',
    );
  // The base fee may double before the payment is mined.
  const maxFeePerGas = gasPrice * 2n + maxPriorityFeePerGas;
  return { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, balance };
}

/** Sends a signed transaction and returns its hash. Computes the hash here and compares it with the node's response. */
export async function sendTransaction(rpcUrl: string, signedHex: string): Promise<string> {
  const signed = signedHex.replace(/^0x/, '');
  const hash = `0x${bytesToHex(keccak_256(hexToBytes(signed)))}`;
  const answer = await call(rpcUrl, 'eth_sendRawTransaction', [`0x${signed}`]);
  if (answer !== hash) throw unreadable('eth_sendRawTransaction');
  return hash;
}

async function quantityOf(rpcUrl: string, method: string, params: readonly string[]): Promise<bigint> {
  const answer = await call(rpcUrl, method, params);
  if (typeof answer !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(answer)) throw unreadable(method);
  return BigInt(answer);
}

async function call(rpcUrl: string, method: string, params: readonly string[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  let answer: { result?: unknown; error?: { message?: unknown } };
  try {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(rpcUrl, { method: 'POST', headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) });
    answer = (await response.json()) as typeof answer;
  } catch (cause) {
    // SECURITY: the path of a node's URL often contains a key. Show only the origin.
    throw new CliError(
      `The node at ${new URL(rpcUrl).origin} does not respond.`,
      'Check --rpc-url, and that the node is running.',
      {
        cause,
      },
    );
  }
  if (answer?.error !== undefined)
    throw new CliError(
      `The node rejected ${method}: ${printable(String(answer.error?.message))}`,
      'See the message of the node.',
    );
  return answer?.result;
}

const unreadable = (method: string) =>
  new CliError(`The node's response to ${method} is invalid.`, 'Check that --rpc-url is the address of an Ethereum node.');

/** Throws CliError unless the text is a full URL. */
export function checkRpcUrl(rpcUrl: string): string {
  if (URL.canParse(rpcUrl) && /^https?:$/.test(new URL(rpcUrl).protocol)) return rpcUrl;
  throw new UsageError('--rpc-url is not a URL.', 'Pass a full URL: http://127.0.0.1:8545.');
}
