import {
  encodeFeeMarketTransaction,
  encodeLegacyTransaction,
  encodeUndelegation,
  type ParseContext,
  parseAuthorization,
  type SignerKey,
  type TronReference,
  type UndelegationFields,
  undelegationAuthorization,
  withBlockhash,
  withTronReference,
} from '@countersign/chains';
import { type ActivityDefinition, type ActivityInput, activities } from '@countersign/contract';
import type { PolicySubject, RawContent } from '../subject.ts';

/** A transaction that an activity signs and sends, in the form of `sign_transaction`. */
export type TransactionToSend = ActivityInput<'signTransaction'>;

/** The parameters of `eth_send_transaction`, completed by the service. Without a priority fee it is a legacy transaction. */
export interface CompletedEthTransaction {
  readonly from: string;
  readonly caip2: string;
  readonly to: string;
  readonly value: string;
  readonly data: string;
  readonly nonce: string;
  readonly gasLimit: string;
  readonly maxFeePerGas: string;
  readonly maxPriorityFeePerGas?: string | undefined;
  /** Whether a sponsor pays for the fee. Absent if it does not. */
  readonly sponsor?: true | undefined;
}

/** The parameters of `sol_send_transaction`, completed by the service. The transaction is as the caller gave it. */
export interface CompletedSolTransaction {
  readonly signWith: string;
  readonly caip2: string;
  readonly unsignedTransaction: string;
  readonly recentBlockhash: string;
}

/** The parameters of `eth_replace_transaction`, completed by the service. */
export interface CompletedEthReplacement extends CompletedEthTransaction {
  /** The id of the transaction that it replaces. */
  readonly sendTransactionStatusId: string;
  readonly replacement: 'SPEED_UP' | 'CANCEL';
  readonly replacesHash: string;
}

/** The parameters of `eth_undelegate_7702`, completed by the service. Everything else follows from them. */
export interface CompletedEthUndelegation {
  readonly from: string;
  readonly caip2: string;
  readonly nonce: string;
  readonly gasLimit: string;
  readonly maxFeePerGas: string;
  readonly maxPriorityFeePerGas: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** What an absent amount and absent data mean. */
const noPayment = { value: '0', data: '0x' };

/** The parameters of `tron_send_transaction`, completed by the service. The transaction is as the caller gave it. */
export interface CompletedTronTransaction extends TronReference {
  readonly signWith: string;
  readonly caip2: string;
  readonly unsignedTransaction: string;
}

/** The parameters of `bitcoin_send_transaction`. The service fills in nothing. */
export interface CompletedBitcoinTransaction {
  readonly signWith: string;
  readonly caip2: string;
  readonly unsignedTransaction: string;
}

/** How an activity that sends a transaction is read. */
interface Sends<Completed> {
  /** The parameter that names the key. */
  readonly signWith: keyof Completed & string;
  /** The transaction, from the completed parameters. */
  readonly build: (completed: Completed) => TransactionToSend;
  /** What a request says without naming it. The service fills in the rest. */
  readonly implied?: (submitted: Fields) => Fields;
}

// The completed parameters of an activity are those of its own entry.
const sends: { readonly [name in SendingName]: Sends<never> } = {
  ethSendTransaction: {
    signWith: 'from',
    build: ethTransaction,
    implied: () => noPayment,
  } satisfies Sends<CompletedEthTransaction> as Sends<never>,
  ethReplaceTransaction: {
    signWith: 'from',
    build: ethTransaction,
    implied: ({ replacement, from }) => (replacement === 'CANCEL' ? { ...noPayment, to: from } : {}),
  } satisfies Sends<CompletedEthReplacement> as Sends<never>,
  ethUndelegate7702: { signWith: 'from', build: ethUndelegation } satisfies Sends<CompletedEthUndelegation> as Sends<never>,
  solSendTransaction: { signWith: 'signWith', build: solTransaction } satisfies Sends<CompletedSolTransaction> as Sends<never>,
  tronSendTransaction: { signWith: 'signWith', build: tronTransaction } satisfies Sends<CompletedTronTransaction> as Sends<never>,
  bitcoinSendTransaction: {
    signWith: 'signWith',
    build: bitcoinTransaction,
  } satisfies Sends<CompletedBitcoinTransaction> as Sends<never>,
};

/** The activities that sign a transaction and send it. */
export type SendingName =
  | 'ethSendTransaction'
  | 'ethReplaceTransaction'
  | 'ethUndelegate7702'
  | 'solSendTransaction'
  | 'tronSendTransaction'
  | 'bitcoinSendTransaction';

/** Whether an activity sends a transaction that the service completes. */
export function sendsTransaction({ name }: Pick<ActivityDefinition, 'name'>): boolean {
  return Object.hasOwn(sends, name);
}

function sendOf(name: string): Sends<never> {
  if (!Object.hasOwn(sends, name)) throw new TypeError(`${name} sends no transaction`);
  return sends[name as SendingName];
}

/** The parameter that names the key of an activity that sends a transaction. */
export function sendingKeyField(name: string): string {
  return sendOf(name).signWith;
}

/**
 * The transaction that an activity sends, from its completed parameters. Pure: verifiers build the same bytes.
 * Throws ChainError if a value does not fit its field.
 */
export function transactionToSend(name: string, completed: unknown): TransactionToSend {
  return sendOf(name).build(completed as never);
}

function bitcoinTransaction({ signWith, unsignedTransaction }: CompletedBitcoinTransaction): TransactionToSend {
  return { signWith, unsignedTransaction, type: 'TRANSACTION_TYPE_BITCOIN' };
}

function tronTransaction({ signWith, unsignedTransaction, ...rest }: CompletedTronTransaction): TransactionToSend {
  const { refBlockBytes, refBlockHash, expiration } = rest;
  const filled = withTronReference(unsignedTransaction, { refBlockBytes, refBlockHash, expiration });
  return { signWith, unsignedTransaction: filled, type: 'TRANSACTION_TYPE_TRON' };
}

function solTransaction({ signWith, unsignedTransaction, recentBlockhash }: CompletedSolTransaction): TransactionToSend {
  return { signWith, unsignedTransaction: withBlockhash(unsignedTransaction, recentBlockhash), type: 'TRANSACTION_TYPE_SOLANA' };
}

/** How the transaction of an activity is read before it is signed. */
export function readingOf(name: string): Pick<ParseContext, 'signsAuthorizations'> {
  return name === 'ethUndelegate7702' ? { signsAuthorizations: true } : {};
}

/** The fields of the transaction that removes a delegation. */
export function undelegationFields(completed: CompletedEthUndelegation): UndelegationFields {
  const { from, caip2, nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = completed;
  return {
    account: from,
    chainId: BigInt(caip2.slice('eip155:'.length)),
    nonce: BigInt(nonce),
    gas: BigInt(gasLimit),
    maxFeePerGas: BigInt(maxFeePerGas),
    maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas),
  };
}

function ethUndelegation(completed: CompletedEthUndelegation): TransactionToSend {
  const unsignedTransaction = encodeUndelegation(undelegationFields(completed));
  return { signWith: completed.from, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' };
}

function ethTransaction(completed: CompletedEthTransaction): TransactionToSend {
  const { from, caip2, to, value, data, nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = completed;
  const fields = {
    chainId: BigInt(caip2.slice('eip155:'.length)),
    nonce: BigInt(nonce),
    gas: BigInt(gasLimit),
    to,
    value: BigInt(value),
    data,
  };
  const unsignedTransaction =
    maxPriorityFeePerGas === undefined
      ? encodeLegacyTransaction({ ...fields, gasPrice: BigInt(maxFeePerGas) })
      : encodeFeeMarketTransaction({
          ...fields,
          maxFeePerGas: BigInt(maxFeePerGas),
          maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas),
        });
  return { signWith: from, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' };
}

/**
 * The part of a subject that shows what else an activity does that sends a transaction.
 * SECURITY: D740: a DENY, or a limit, on signing a transaction also covers sending it. D903: one on sending also covers replacing. D1001: one
 * on any of the three also covers removing a delegation, and so does one on signing authorizations.
 */
export function alsoSigned(
  name: string,
  params: TransactionToSend,
  completed: unknown,
  parsed: RawContent['readings'][number]['parsed'],
  signer: SignerKey,
): Pick<PolicySubject, 'raw' | 'isReplacement'> {
  const signing = { definition: activities.signTransaction, params, parsed };
  if (name === 'ethUndelegate7702') return { raw: undelegationReadings(signing, completed as CompletedEthUndelegation, signer) };
  if (name !== 'ethReplaceTransaction') return { raw: { readings: [signing], isComplete: true } };
  const sending = { definition: activities.ethSendTransaction, params: completed, parsed };
  return { raw: { readings: [signing, sending], isComplete: true }, isReplacement: true };
}

/** What the two signatures of an undelegation are: one of a transaction, which is also sent, and one of an authorization. */
function undelegationReadings(
  signing: RawContent['readings'][number],
  completed: CompletedEthUndelegation,
  signer: SignerKey,
): RawContent {
  const { from } = completed;
  const { chainId, address, nonce } = undelegationAuthorization(undelegationFields(completed));
  const payload = JSON.stringify({ address, chainId: `${chainId}`, nonce: `${nonce}` });
  const form = { encoding: 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION', hashFunction: 'HASH_FUNCTION_NO_OP' };
  const authorization = parseAuthorization(payload, { signer, interfaces: [] });
  return {
    readings: [
      signing,
      { definition: activities.ethSendTransaction, params: { ...completed, ...noPayment, to: from }, parsed: signing.parsed },
      { definition: activities.signRawPayload, params: { signWith: from, payload, ...form }, parsed: authorization },
    ],
    isComplete: true,
  };
}

const plain = (value: unknown) =>
  /^(0x)?[0-9a-f]*$/i.test(String(value)) ? String(value).replace(/^0x/i, '').toLowerCase() : String(value);

/** Whether the completed parameters of a transaction say that a sponsor pays for the fee. */
export const isSponsored = (completed: unknown): boolean => (completed as { readonly sponsor?: unknown }).sponsor === true;

/** A transaction as approvers read it. Who pays for the fee is not in its bytes. */
export function describeSent<Parsed extends { readonly description: string }>(completed: unknown, parsed: Parsed): Parsed {
  if (!isSponsored(completed)) return parsed;
  const description = `${parsed.description.replace(/\.$/, '')}. The sponsor of the chain pays what the account lacks for the fee`;
  return { ...parsed, description };
}

/**
 * Returns the parameter that the completed parameters change, or undefined if they only add to what was submitted.
 * SECURITY: D755: an absent amount is 0, and absent data are empty. They cannot be added. Only hexadecimal digits are equal in both cases: other
 * encodings, such as that of Solana transactions, mean other bytes. D904: a cancellation moves nothing. D911: nothing is sponsored that its
 * caller did not ask for.
 */
export function changedParameter(activity: string, submitted: unknown, completed: unknown): string | undefined {
  const { signWith, implied } = sendOf(activity);
  const before = Object.fromEntries(Object.entries(submitted as Fields).filter(([, value]) => value !== undefined));
  const after = completed as Fields;
  const expected: Fields = { ...implied?.(before), ...before };
  if (isSponsored(before) !== isSponsored(after)) return 'sponsor';
  return Object.keys(expected).find(
    (name) => name !== 'sponsor' && name !== signWith && plain(expected[name]) !== plain(after[name]),
  );
}

/** What a transaction of an EVM chain and one that speeds it up have in common: everything but their fees. Undefined for other chains. */
export function sameTransaction(activity: string, completed: unknown): string | undefined {
  if (activity !== 'ethSendTransaction' && activity !== 'ethReplaceTransaction') return undefined;
  const { from, caip2, to, value, data, nonce, gasLimit } = completed as CompletedEthTransaction;
  return [from, caip2, to, value, data, nonce, gasLimit].map(plain).join(' ');
}
