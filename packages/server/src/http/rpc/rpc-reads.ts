import type { JsonValue } from '@countersign/strict-json';
import type { CallersRead } from '../../chain-nodes/callers-reads.ts';
import { wrongParams } from './rpc-error.ts';

/** Checks one parameter. `name` completes "must be …" in the error. */
interface Kind {
  readonly name: string;
  fits(value: JsonValue): boolean;
}

const MAX_CALL_CHARACTERS = 300_000;
const MAX_FILTER_CHARACTERS = 10_000;
const MAX_FEE_HISTORY_BLOCKS = 1_024;
const MAX_PERCENTILES = 20;
/** The longest range of blocks of one `eth_getLogs`. */
export const MAX_LOG_BLOCKS = 2_000;

const TAGS = ['latest', 'pending', 'earliest', 'safe', 'finalized'];
const isText = (pattern: RegExp) => (value: JsonValue) => typeof value === 'string' && pattern.test(value);
const isQuantity = isText(/^0x[0-9a-f]{1,64}$/i);
const isHash = isText(/^0x[0-9a-f]{64}$/i);
const isAddress = isText(/^0x[0-9a-f]{40}$/i);
const isObject = (value: JsonValue): value is { readonly [name: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const call: Kind = {
  name: `an object with the fields of a transaction, of at most ${MAX_CALL_CHARACTERS} characters`,
  fits: (value) => isObject(value) && JSON.stringify(value).length <= MAX_CALL_CHARACTERS,
};
const block: Kind = {
  name: `a block: one of ${TAGS.join(', ')}, or its number in hexadecimal, or an object with its blockHash or blockNumber (EIP-1898)`,
  fits: (value) =>
    isQuantity(value) || TAGS.includes(value as string) || (isObject(value) && JSON.stringify(value).length <= 200),
};
const address: Kind = { name: 'an address: 0x and 40 hexadecimal digits', fits: isAddress };
const hash: Kind = { name: 'a hash: 0x and 64 hexadecimal digits', fits: isHash };
const quantity: Kind = { name: 'a hexadecimal quantity such as "0x1"', fits: isQuantity };
const flag: Kind = { name: 'true or false', fits: (value) => typeof value === 'boolean' };
const filter: Kind = {
  name: `an object with a filter, of at most ${MAX_FILTER_CHARACTERS} characters`,
  fits: (value) => isObject(value) && JSON.stringify(value).length <= MAX_FILTER_CHARACTERS,
};
const blockCount: Kind = {
  name: `a number of blocks of at most ${MAX_FEE_HISTORY_BLOCKS}, in hexadecimal`,
  fits: (value) => (Number.isSafeInteger(value) || isQuantity(value) ? Number(value) <= MAX_FEE_HISTORY_BLOCKS : false),
};
const percentiles: Kind = {
  name: `a list of at most ${MAX_PERCENTILES} numbers`,
  fits: (value) => Array.isArray(value) && value.length <= MAX_PERCENTILES && value.every((item) => typeof item === 'number'),
};

interface ReadMethod {
  readonly params: readonly Kind[];
  /** How many of the last parameters may be absent. */
  readonly optional?: number;
  readonly cost?: number;
}

const HEAVY = 5;

/**
 * The reads that nodes are asked for.
 * SECURITY: D943: a method that is not here never reaches a node: none that changes a node or a chain, traces, lists the accounts of a node
 * or keeps state in it.
 */
const reads: Readonly<Record<string, ReadMethod>> = {
  eth_blockNumber: { params: [] },
  eth_call: { params: [call, block], optional: 1, cost: 2 },
  eth_estimateGas: { params: [call, block], optional: 1, cost: 2 },
  eth_feeHistory: { params: [blockCount, block, percentiles], optional: 1, cost: 2 },
  eth_gasPrice: { params: [] },
  eth_getBalance: { params: [address, block], optional: 1 },
  eth_getBlockByHash: { params: [hash, flag], cost: 2 },
  eth_getBlockByNumber: { params: [block, flag], cost: 2 },
  eth_getCode: { params: [address, block], optional: 1 },
  eth_getLogs: { params: [filter], cost: HEAVY },
  eth_getStorageAt: { params: [address, quantity, block], optional: 1 },
  eth_getTransactionByHash: { params: [hash] },
  eth_getTransactionCount: { params: [address, block], optional: 1 },
  eth_getTransactionReceipt: { params: [hash] },
  eth_maxPriorityFeePerGas: { params: [] },
};

export const readMethods: readonly string[] = Object.keys(reads);

/** Asks a node on behalf of the caller. */
export type AskNode = (read: CallersRead) => Promise<JsonValue>;

/** Reads the parameters of a call. Undefined if the method is not one of `readMethods`. */
export function readCallOf(method: string, params: readonly JsonValue[]): CallersRead | undefined {
  const found = Object.hasOwn(reads, method) ? reads[method] : undefined;
  if (found === undefined) return undefined;
  const { params: kinds, optional = 0, cost = 1 } = found;
  // A trailing null stands for an absent parameter.
  const given = params.at(-1) === null ? params.slice(0, -1) : params;
  const least = kinds.length - optional;
  if (given.length < least || given.length > kinds.length)
    throw wrongParams(
      `${method} takes ${least === kinds.length ? least : `${least} to ${kinds.length}`} parameters, and this call has ${params.length}.`,
    );
  for (const [index, value] of given.entries()) {
    const { name, fits } = kinds[index] as Kind;
    if (!fits(value)) throw wrongParams(`Parameter ${index + 1} of ${method} must be ${name}.`);
  }
  return { method, params: given, cost };
}

/** Sends a read to a node. The range of logs is bounded, for which the newest block is asked if the filter does not name its end. */
export async function askNode(ask: AskNode, read: CallersRead): Promise<JsonValue> {
  return ask(read.method === 'eth_getLogs' ? { ...read, params: [await boundedFilter(ask, read.params[0])] } : read);
}

/** SECURITY: D1010: nodes accept names in another case too, and what they read would not be what was bounded. */
const filterFields = ['address', 'topics', 'blockHash', 'fromBlock', 'toBlock'];

async function boundedFilter(ask: AskNode, value: JsonValue | undefined): Promise<JsonValue> {
  const given = value as { readonly [name: string]: JsonValue };
  const { fromBlock = 'latest', toBlock = 'latest', ...rest } = given;
  const unknown = Object.keys(given).find((name) => !filterFields.includes(name));
  if (unknown !== undefined) throw wrongParams(`A filter has the members ${filterFields.join(', ')} only.`);
  if (given.blockHash !== undefined) {
    if (isHash(given.blockHash) && given.fromBlock === undefined && given.toBlock === undefined) return given;
    throw wrongParams('"blockHash" must be the hash of a block, without fromBlock and toBlock.');
  }
  if (fromBlock === toBlock && TAGS.includes(fromBlock as string)) return given;
  if (!isQuantity(fromBlock)) throw wrongParams('"fromBlock" must be the number of a block in hexadecimal.');
  const end = toBlock === 'latest' ? await ask({ method: 'eth_blockNumber', params: [], cost: 1 }) : toBlock;
  if (!isQuantity(end)) throw wrongParams('"toBlock" must be the number of a block in hexadecimal, or "latest".');
  if (BigInt(end as string) - BigInt(fromBlock as string) < BigInt(MAX_LOG_BLOCKS)) return { ...rest, fromBlock, toBlock: end };
  throw wrongParams(`The filter covers more than ${MAX_LOG_BLOCKS} blocks. Read logs in parts.`);
}
