import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { CliFault } from '../faults.ts';
import { printable } from '../terminal.ts';
import type { PaymentTerms } from './payment.ts';

/** How long a node may take to answer. */
const TIMEOUT_MS = 10_000;

/** What the node says about an account, and what a payment from it takes now. */
export interface ChainState extends PaymentTerms {
  readonly balance: bigint;
}

/** Reads what a payment from `address` takes, from an Ethereum node. Throws CliFault for an answer that is not as EIP-1474 has it. */
export async function readChain(rpcUrl: string, address: string): Promise<ChainState> {
  const [chainId, nonce, gasPrice, maxPriorityFeePerGas, balance] = await Promise.all([
    quantityOf(rpcUrl, 'eth_chainId', []),
    quantityOf(rpcUrl, 'eth_getTransactionCount', [address, 'pending']),
    quantityOf(rpcUrl, 'eth_gasPrice', []),
    quantityOf(rpcUrl, 'eth_maxPriorityFeePerGas', []),
    quantityOf(rpcUrl, 'eth_getBalance', [address, 'latest']),
  ]);
  // The price may double before the payment is in a block.
  const maxFeePerGas = gasPrice * 2n + maxPriorityFeePerGas;
  return { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, balance };
}

/** Sends a signed transaction. Gives its hash, which is computed here: a node that names another one has taken something else. */
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
    // SECURITY: the path of such an address often holds a key. Only its origin is shown.
    throw new CliFault(`The node at ${new URL(rpcUrl).origin} does not answer.`, 'Check --rpc-url, and that the node runs.', {
      cause,
    });
  }
  if (answer?.error !== undefined)
    throw new CliFault(`The node refuses ${method}: ${printable(String(answer.error?.message))}`, 'Look at what the node says.');
  return answer?.result;
}

const unreadable = (method: string) =>
  new CliFault(`The node answers ${method} in a way that cannot be read.`, 'Check that --rpc-url is of an Ethereum node.');

/** The address of a node, in full. Throws CliFault for any other text. */
export function checkRpcUrl(rpcUrl: string): string {
  if (URL.canParse(rpcUrl) && /^https?:$/.test(new URL(rpcUrl).protocol)) return rpcUrl;
  throw new CliFault('--rpc-url is not a URL.', 'Give it in full: http://127.0.0.1:8545.');
}
