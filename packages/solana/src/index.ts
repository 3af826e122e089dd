import { type Client, resultWhenApproved, type WaitOptions } from '@countersign/client';
import type { Address } from '@solana/addresses';
import type { SignatureBytes } from '@solana/keys';
import type { MessagePartialSigner, TransactionPartialSigner } from '@solana/signers';
import { fromHex, type SignableTransaction, slotOf, toHex, wireTransaction } from './wire.ts';

export interface SignerOptions<A extends string = string> {
  readonly client: Client | Client<'turnkey'>;
  /** The address of the account: of a wallet, or of a private key. */
  readonly address: Address<A>;
  /** How long to wait for approvals. The blockhash of a transaction is good for about a minute; use a durable nonce to wait longer. */
  readonly wait?: WaitOptions;
}

/** A signer of @solana/kit. The service gets the transaction itself, so that policies and people can judge it. */
export function createCountersignSigner<A extends string>(
  options: SignerOptions<A>,
): TransactionPartialSigner<A> & MessagePartialSigner<A> {
  const { address, wait } = options;
  // Both dialects take the same parameters for these two activities.
  const client = options.client as Client;

  async function signTransaction(transaction: SignableTransaction): Promise<SignatureBytes> {
    const unsignedTransaction = toHex(wireTransaction(transaction));
    const submitted = await client.signTransaction({ signWith: address, unsignedTransaction, type: 'TRANSACTION_TYPE_SOLANA' });
    const { signedTransaction } = await resultWhenApproved(client, submitted, wait);
    return slotOf(fromHex(signedTransaction), transaction, address) as SignatureBytes;
  }

  async function signMessage(content: Uint8Array): Promise<SignatureBytes> {
    const submitted = await client.signRawPayload({
      signWith: address,
      payload: toHex(content),
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_NOT_APPLICABLE',
    });
    const { r, s } = await resultWhenApproved(client, submitted, wait);
    return fromHex(r + s) as SignatureBytes;
  }

  const named = (signature: SignatureBytes) => Object.freeze({ [address]: signature }) as Record<Address<A>, SignatureBytes>;
  return Object.freeze({
    address,
    signTransactions: (transactions: readonly SignableTransaction[]) =>
      Promise.all(transactions.map(async (transaction) => named(await signTransaction(transaction)))),
    signMessages: (messages: readonly { readonly content: Uint8Array }[]) =>
      Promise.all(messages.map(async ({ content }) => named(await signMessage(content)))),
  });
}
