import {
  blockhashOf,
  encodeFeeMarketTransaction,
  encodeLegacyTransaction,
  encodeUndelegation,
  tronReferenceOf,
  withBlockhash,
  withTronReference,
} from '@countersign/chains';
import type { ListedActivity, StampedRequest } from '@countersign/client';
import { isSending } from '@countersign/contract';
import { UNDELEGATES } from './leaves-fee.ts';
import { signerNameOf } from './signer-name.ts';

export type Values = Readonly<Record<string, unknown>>;
type Completed = Readonly<Record<(typeof stamped)[number] | 'nonce' | 'gasLimit' | 'maxFeePerGas', string>> & {
  readonly maxPriorityFeePerGas?: string;
};

/** What the stamped request determines alone. */
const stamped = ['from', 'caip2', 'to', 'value', 'data'] as const;
/** What the service fills in unless the request states it. */
const completed = ['nonce', 'gasLimit', 'maxFeePerGas', 'maxPriorityFeePerGas'] as const;
const chainName = /^eip155:[1-9]\d{0,18}$/;
const wholeNumber = /^\d{1,78}$/;

/** The parameters of a transaction to send, from the stamped request and from what the service reports that it filled in. */
type Reader = (own: Values, reported: Values, replaced: Values | undefined) => Values | undefined;

const readers: readonly (readonly [types: RegExp, read: Reader])[] = [
  [/^ACTIVITY_TYPE_ETH_SEND_TRANSACTION(_V2)?$/, (own, reported) => ethereum(callOf(own), reported)],
  [/^ACTIVITY_TYPE_ETH_REPLACE_TRANSACTION$/, (own, reported, replaced) => ethereum(replacementOf(own, replaced), reported)],
  [UNDELEGATES, undelegation],
  [/^ACTIVITY_TYPE_SOL_SEND_TRANSACTION(_V2)?$/, solana],
  [/^ACTIVITY_TYPE_TRON_SEND_TRANSACTION$/, tron],
  [/^ACTIVITY_TYPE_BITCOIN_SEND_TRANSACTION$/, bitcoin],
];

/**
 * The request as one that signs a transaction. A request that sends one becomes the transaction that it states. Undefined if it cannot be
 * read. `replaced` is what a request repeats that speeds up a transaction. Throws ChainError.
 * SECURITY: D960: the receiver, the amount and the data are the stamped ones. Only what the request leaves to the service is what the service
 * reports: a nonce and fees, a blockhash, or a reference block with its expiration.
 */
export function signedRequest(
  request: StampedRequest,
  { intent }: Pick<ListedActivity, 'intent'>,
  replaced?: Values,
): StampedRequest | undefined {
  if (!isSending(request.type)) return request;
  const [reported = {}] = Object.values(intent) as Values[];
  const read = readers.find(([types]) => types.test(request.type))?.[1];
  const parameters = read?.(request.parameters, reported, replaced);
  return parameters && { ...request, parameters };
}

function ethereum(own: Values | undefined, reported: Values): Values | undefined {
  if (own === undefined) return undefined;
  const fields: Record<string, unknown> = { value: '0', data: '0x' };
  for (const name of completed) fields[name] = reported[name];
  for (const name of [...stamped, ...completed]) if (own[name] !== undefined) fields[name] = own[name];
  if (!isComplete(fields)) return undefined;
  return { signWith: fields.from, unsignedTransaction: encode(fields), type: 'TRANSACTION_TYPE_ETHEREUM' };
}

/** The unsigned transaction. Without a priority fee it is a legacy one. */
function encode({ caip2, to, data, ...numbers }: Completed): string {
  const { maxPriorityFeePerGas: priority } = numbers;
  const maxFeePerGas = BigInt(numbers.maxFeePerGas);
  const fields = {
    chainId: BigInt(caip2.slice('eip155:'.length)),
    nonce: BigInt(numbers.nonce),
    gas: BigInt(numbers.gasLimit),
    value: BigInt(numbers.value),
    ...{ to, data },
  };
  return priority === undefined
    ? encodeLegacyTransaction({ ...fields, gasPrice: maxFeePerGas })
    : encodeFeeMarketTransaction({ ...fields, maxFeePerGas, maxPriorityFeePerGas: BigInt(priority) });
}

/** The parameters with the only call of the second version. */
export function callOf(parameters: Values): Values | undefined {
  const { calls, ...rest } = parameters;
  if (calls === undefined) return parameters;
  const [only, ...others] = Array.isArray(calls) ? (calls as unknown[]) : [];
  return typeof only !== 'object' || only === null || others.length > 0 ? undefined : { ...rest, ...only };
}

/**
 * The transaction of a replacement. A cancellation transfers 0 to the account itself.
 * SECURITY: D976: a request speeds up a transaction that the log proves. The reported fields of it are not used.
 */
export function replacementOf(own: Values, replaced: Values | undefined): Values | undefined {
  const { from, caip2, replacement, maxFeePerGas, maxPriorityFeePerGas } = own;
  const fees = { maxFeePerGas, maxPriorityFeePerGas };
  if (replacement === 'CANCEL') return { from, caip2, ...fees, to: from, value: '0', data: '0x' };
  if (replacement !== 'SPEED_UP' || replaced === undefined) return undefined;
  const { to, value, data, nonce, gasLimit } = replaced;
  return { from, caip2, ...fees, to, value, data, nonce, gasLimit };
}

/** SECURITY: D977: the service fills in a blockhash only if the request names none. The rest is stamped. */
function solana(own: Values, reported: Values): Values | undefined {
  const { unsignedTransaction, recentBlockhash } = own;
  if (typeof unsignedTransaction !== 'string') return undefined;
  const blockhash = recentBlockhash ?? blockhashOf(unsignedTransaction) ?? reported.recentBlockhash;
  if (typeof blockhash !== 'string') return undefined;
  const filled = withBlockhash(unsignedTransaction, blockhash);
  return { signWith: signerNameOf(own), unsignedTransaction: filled, type: 'TRANSACTION_TYPE_SOLANA' };
}

/** SECURITY: D977: the service fills in a reference block and its expiration only if the transaction has none. The rest is stamped. */
function tron(own: Values, reported: Values): Values | undefined {
  const { signWith, unsignedTransaction } = own;
  if (typeof unsignedTransaction !== 'string') return undefined;
  const { refBlockBytes, refBlockHash, expiration } = tronReferenceOf(unsignedTransaction) ?? reported;
  if (!wholeNumber.test(String(expiration)) || ![refBlockBytes, refBlockHash].every(isHex)) return undefined;
  const reference = { refBlockBytes: String(refBlockBytes), refBlockHash: String(refBlockHash), expiration: String(expiration) };
  const filled = withTronReference(unsignedTransaction, reference);
  return { signWith, unsignedTransaction: filled, type: 'TRANSACTION_TYPE_TRON' };
}

/** The account and the chain are stamped. The receiver, the amount, the data and the authorization are the same for every account. */
function undelegation(own: Values, reported: Values): Values | undefined {
  const { from, caip2 } = own;
  const fields: Record<string, unknown> = { from, caip2, to: from, value: '0', data: '0x' };
  for (const name of completed) fields[name] = own[name] ?? reported[name];
  if (!isComplete(fields) || fields.maxPriorityFeePerGas === undefined) return undefined;
  const unsignedTransaction = encodeUndelegation({
    account: fields.from,
    chainId: BigInt(fields.caip2.slice('eip155:'.length)),
    nonce: BigInt(fields.nonce),
    gas: BigInt(fields.gasLimit),
    maxFeePerGas: BigInt(fields.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(fields.maxPriorityFeePerGas),
  });
  return { signWith: from, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' };
}

/** The service fills in nothing. */
function bitcoin({ signWith, unsignedTransaction }: Values): Values | undefined {
  if (typeof unsignedTransaction !== 'string') return undefined;
  return { signWith, unsignedTransaction, type: 'TRANSACTION_TYPE_BITCOIN' };
}

const isHex = (value: unknown) => typeof value === 'string' && /^([0-9a-f]{2})+$/.test(value);

function isComplete(fields: Values): fields is Values & Completed {
  const { from, caip2, to, data, maxPriorityFeePerGas = '0', ...numbers } = fields;
  const isText = [from, to, data].every((each) => typeof each === 'string');
  const values = [numbers.value, numbers.nonce, numbers.gasLimit, numbers.maxFeePerGas, maxPriorityFeePerGas];
  return isText && chainName.test(String(caip2)) && values.every((each) => typeof each === 'string' && wholeNumber.test(each));
}
