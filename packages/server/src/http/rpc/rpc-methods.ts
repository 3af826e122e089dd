import { ChainError, encodeTransactionRequest, readQuantity, type TransactionRequest } from '@countersign/chains';
import type { JsonValue } from '@countersign/strict-json';
import { keccak256 } from '../../auth/keccak256.ts';
import type { CallersRead } from '../../chain-nodes/callers-reads.ts';
import { VERSION } from '../../config/version.ts';
import type { RpcOperation } from '../../vault/keys/rpc-key.ts';
import { isAddress, type RpcAccount } from './rpc-accounts.ts';
import { RpcError, wrongParams } from './rpc-error.ts';
import { type RpcPayment, readPayment } from './rpc-payment.ts';
import { askNode, readCallOf, readMethods } from './rpc-reads.ts';

/** An activity that a call asks for, and how its result is returned. */
export interface RpcSigning {
  readonly activity: Extract<RpcOperation, { readonly activity: unknown }>['activity'];
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Returns the result of the call from that of the activity. */
  readonly show: (result: Readonly<Record<string, string>>) => unknown;
}

/** What the methods know of a request. */
export interface RpcContext {
  /** The chain id in the path. */
  readonly chainId: bigint | undefined;
  /** The account that a parameter names; `name` is that of the parameter. */
  account(from: unknown, name: string): Promise<RpcAccount>;
  /** All addresses of the path. */
  addresses(): Promise<readonly string[]>;
  /** Executes an activity, and returns the result of the call. */
  sign(signing: RpcSigning): Promise<unknown>;
  /** Sends a payment from an account of the path, and returns its hash. */
  pay(payment: RpcPayment & { readonly from: string }): Promise<string>;
  /** Asks a node of the chain in the path. */
  read(read: CallersRead): Promise<JsonValue>;
}

type Params = readonly JsonValue[];
type Method = (context: RpcContext, params: Params) => Promise<unknown>;

async function accounts({ addresses }: RpcContext, params: Params): Promise<unknown> {
  requireCount(params, 0);
  return addresses();
}

async function chainIdOf({ chainId }: RpcContext, params: Params): Promise<bigint> {
  requireCount(params, 0);
  if (chainId !== undefined) return chainId;
  throw noChain();
}

/** The error if the path has no chain id, and a method needs it. */
export function noChain(): RpcError {
  return new RpcError(
    'methodNotSupported',
    'The service does not know which network this tool works on. Put the chain id after the key in the URL, such as /rpc/<key>/1.',
  );
}

/** Why methods that tools may try are not offered. */
const refused: Readonly<Record<string, string>> = {
  eth_sign:
    'eth_sign signs any 32 bytes, among them hashes of transactions, and nobody can see what they mean. Use personal_sign for messages, eth_signTypedData_v4 for typed data and eth_signTransaction for transactions.',
  eth_signTypedData: 'Earlier versions of typed data are not offered. Use eth_signTypedData_v4.',
  eth_signTypedData_v1: 'Earlier versions of typed data are not offered. Use eth_signTypedData_v4.',
  eth_signTypedData_v3: 'Earlier versions of typed data are not offered. Use eth_signTypedData_v4.',
  eth_sendRawTransaction:
    'This endpoint sends only what it signs with eth_sendTransaction. Hand bytes from eth_signTransaction to a node.',
};

const methods: Readonly<Record<string, Method>> = {
  async health_status() {
    return VERSION;
  },
  async web3_clientVersion() {
    return `Countersign/${VERSION}`;
  },
  eth_accounts: accounts,
  eth_requestAccounts: accounts,
  account_list: accounts,
  async eth_chainId(context, params) {
    return `0x${(await chainIdOf(context, params)).toString(16)}`;
  },
  async net_version(context, params) {
    return String(await chainIdOf(context, params));
  },
  async eth_signTransaction(context, params) {
    requireCount(params, 1);
    return context.sign(await transactionIn(context, params[0], (raw) => raw));
  },
  async eth_sendTransaction(context, params) {
    requireCount(params, 1);
    const [request] = params;
    const payment = readPayment(request, context.chainId);
    const { address: from } = await context.account((request as { readonly from?: unknown }).from, 'from');
    return context.pay({ ...payment, from });
  },
  async account_signTransaction(context, params) {
    requireCount(params, 1, 2);
    const [request] = params;
    return context.sign(
      await transactionIn(context, request, (raw) => ({ raw, tx: { ...(request as object), hash: hashOf(raw) } })),
    );
  },
  async personal_sign(context, params) {
    requireCount(params, 2, 3);
    const [message, from, password = ''] = params;
    if (password !== '') throw wrongParams('personal_sign takes the message and the address. Leave out the password.');
    if (isAddress(message) && !isAddress(from))
      throw wrongParams('personal_sign takes the message first and the address second, and they are exchanged here.');
    const bytes = bytesOf(message, 'the message');
    const { signWith } = await context.account(from, 'the address');
    // EIP-191, version 0x45. The first byte keeps it apart from every transaction and from typed data.
    const prefix = Buffer.from(`\x19Ethereum Signed Message:\n${bytes.length}`);
    return context.sign({
      activity: 'signRawPayload',
      parameters: {
        signWith,
        payload: Buffer.concat([prefix, bytes]).toString('hex'),
        encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
        hashFunction: 'HASH_FUNCTION_KECCAK256',
      },
      show: showSignature,
    });
  },
  async eth_signTypedData_v4(context, params) {
    requireCount(params, 2);
    const [from, data] = params;
    const payload = typeof data === 'string' ? data : JSON.stringify(data);
    requireTypedChain(payload, context.chainId);
    const { signWith } = await context.account(from, 'the address');
    return context.sign({
      activity: 'signRawPayload',
      parameters: { signWith, payload, encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' },
      show: showSignature,
    });
  },
};

/** Answers one call. Rejects with an RpcError or a ServiceError. */
export async function answerMethod(context: RpcContext, method: string, params: Params): Promise<unknown> {
  const answer = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (answer !== undefined) return answer(context, params);
  const read = readCallOf(method, params);
  if (read !== undefined) return askNode(context.read, read);
  const why = Object.hasOwn(refused, method) ? refused[method] : undefined;
  if (why !== undefined) throw new RpcError('methodNotSupported', why);
  const offered = [...Object.keys(methods), ...readMethods];
  throw new RpcError('methodNotFound', `This method is not offered. The methods are: ${offered.join(', ')}.`);
}

/** Reads the transaction of a call. Nothing that the signature covers is filled in, except the chain id of the path. */
async function transactionIn(
  { account, chainId }: RpcContext,
  value: JsonValue | undefined,
  show: (raw: string) => unknown,
): Promise<RpcSigning> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrongParams('The transaction must be an object.');
  const given = value as TransactionRequest;
  const { signWith } = await account(given.from, 'from');
  try {
    const named = given.chainId === undefined || given.chainId === null ? undefined : readQuantity(given.chainId, 'chainId');
    if (named !== undefined && chainId !== undefined && named !== chainId)
      throw wrongParams(`"chainId" is ${named}, and the path is for chain ${chainId}.`);
    const request = named === undefined && chainId !== undefined ? { ...given, chainId: `0x${chainId.toString(16)}` } : given;
    const unsignedTransaction = encodeTransactionRequest(request);
    return {
      activity: 'signTransaction',
      parameters: { signWith, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' },
      show: ({ signedTransaction = '' }) => show(`0x${signedTransaction.replace(/^0x/, '')}`),
    };
  } catch (error) {
    if (error instanceof ChainError) throw wrongParams(error.message, { cause: error });
    throw error;
  }
}

function hashOf(raw: string): string {
  return `0x${Buffer.from(keccak256(Buffer.from(raw.slice(2), 'hex'))).toString('hex')}`;
}

/** Typed data for another network than that of the path. Typed data without a chain id has no network. */
function requireTypedChain(payload: string, chainId: bigint | undefined): void {
  if (chainId === undefined) return;
  let named: unknown;
  try {
    named = (JSON.parse(payload) as { readonly domain?: { readonly chainId?: unknown } } | null)?.domain?.chainId;
  } catch {
    // The activity reports what is wrong with it.
    return;
  }
  if (named === undefined || named === null) return;
  // SECURITY: D793: as many digits as an integer of 256 bits. The time to read a decimal number grows with the square of its length.
  const isSame =
    (typeof named === 'string' || typeof named === 'number') &&
    /^(0x[0-9a-f]{1,64}|\d{1,78})$/i.test(String(named)) &&
    BigInt(named) === chainId;
  if (!isSame)
    throw wrongParams(`The domain of the typed data has another chainId than the path, which is for chain ${chainId}.`);
}

function bytesOf(value: JsonValue | undefined, name: string): Buffer {
  if (typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value)) return Buffer.from(value.slice(2), 'hex');
  throw wrongParams(`${name} must be bytes in hexadecimal, beginning with 0x. Text is sent as the bytes of its UTF-8 form.`);
}

/** 65 bytes: r, s, and 27 or 28. */
function showSignature({ r, s, v }: Readonly<Record<string, string>>): string {
  return `0x${r}${s}${v === '00' ? '1b' : '1c'}`;
}

function requireCount(params: Params, least: number, most = least): void {
  if (params.length >= least && params.length <= most) return;
  throw wrongParams(
    `This method takes ${least === most ? least : `${least} to ${most}`} parameters, and this call has ${params.length}.`,
  );
}
