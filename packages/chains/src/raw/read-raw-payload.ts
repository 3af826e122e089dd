import type { HashFunction, TransactionTypeName } from '@countersign/contract';
import { equalBytes } from '@noble/curves/utils.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { allChains } from '../chains.ts';
import { ChainError } from '../errors.ts';
import { parseAuthorization } from '../ethereum/authorization.ts';
import type { EthereumMessage } from '../ethereum/ethereum-message.ts';
import { authorizationOf, hiddenMessage } from '../ethereum/raw-form.ts';
import type { ParseContext, ParsedTransaction, SignerKey } from '../transaction.ts';

/** What the bytes of a raw payload are. */
export type RawContent =
  | {
      readonly kind: 'TRANSACTION';
      readonly type: TransactionTypeName;
      /** As the parser of the type takes it. */
      readonly unsignedTransaction: string;
      readonly parsed: ParsedTransaction;
    }
  | { readonly kind: 'AUTHORIZATION' /** JSON. */; readonly payload: string; readonly parsed: EthereumMessage }
  /** A transaction or typed message may be behind the bytes, and cannot be read. `what`: the end of `the payload is …`. */
  | { readonly kind: 'HIDDEN'; readonly what: string }
  /** Neither. A signature over it is good for no transaction of a chain that this service parses. */
  | { readonly kind: 'OTHER' };

const other: RawContent = Object.freeze({ kind: 'OTHER' });
const hash: RawContent = Object.freeze({ kind: 'HIDDEN', what: 'a hash, which does not show what is signed' });

/** Whether a curve signs transactions that this service parses. */
function signsTransactions(curve: SignerKey['curve']): boolean {
  return allChains.some(({ transaction }) => transaction.curve === curve);
}

/**
 * Reads the bytes of a raw payload as what a chain signs under the same hash function with a key of this curve.
 * INVARIANT: the content that is returned has exactly the signature of the payload.
 */
export function readRawPayload(bytes: Uint8Array, hashFunction: HashFunction, context: ParseContext): RawContent {
  const { signer } = context;
  if (hashFunction === 'HASH_FUNCTION_NO_OP') return signsTransactions(signer.curve) ? hash : other;
  const forms = allChains.filter(
    ({ transaction, raw }) => transaction.curve === signer.curve && raw.hashFunction === hashFunction,
  );
  for (const { transaction, transactionType: type, raw } of forms) {
    const unsignedTransaction = raw.toUnsigned?.(bytes);
    if (unsignedTransaction === undefined) continue;
    const parsed = orUndefined(() => transaction.parse(unsignedTransaction, context));
    if (parsed !== undefined) return { kind: 'TRANSACTION', type, unsignedTransaction, parsed };
  }
  const isEthereum = forms.some(({ id }) => id === 'ethereum');
  const message = isEthereum && context.hashMessagesShow !== true ? hiddenMessage(bytes) : undefined;
  if (message !== undefined) return { kind: 'HIDDEN', what: message };
  const payload = isEthereum ? authorizationOf(bytes) : undefined;
  const parsed = payload === undefined ? undefined : orUndefined(() => parseAuthorization(payload, context));
  const { keccak256 = keccak_256 } = context;
  if (payload !== undefined && parsed !== undefined && equalBytes(parsed.digest, keccak256(bytes)))
    return { kind: 'AUTHORIZATION', payload, parsed };
  for (const { raw } of forms) {
    const what = raw.hides(bytes, signer);
    if (what !== undefined) return { kind: 'HIDDEN', what };
  }
  return other;
}

/** The result of a parser. Undefined if it rejects the bytes. */
function orUndefined<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}
