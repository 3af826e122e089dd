import { type Client, resultWhenApproved, type WaitOptions } from '@countersign/client';
import { type Address, getPublicKeyFromAddress } from '@solana/addresses';
import { type SignatureBytes, verifySignature } from '@solana/keys';
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

  /** SECURITY: A71: accepts only a signature of this content by this address, even if the service returns another. */
  async function requireOwn(bytes: Uint8Array, content: Uint8Array): Promise<SignatureBytes> {
    const signature = bytes as SignatureBytes;
    const isOwn = bytes.length === 64 && (await verifySignature(await getPublicKeyFromAddress(address), signature, content));
    if (!isOwn) throw new Error(`The service did not sign this for ${address}.`);
    return signature;
  }

  async function signTransaction(transaction: SignableTransaction): Promise<SignatureBytes> {
    const unsignedTransaction = toHex(wireTransaction(transaction));
    const submitted = await client.signTransaction({ signWith: address, unsignedTransaction, type: 'TRANSACTION_TYPE_SOLANA' });
    const { signedTransaction } = await resultWhenApproved(client, submitted, wait);
    return requireOwn(slotOf(fromHex(signedTransaction), transaction, address), Uint8Array.from(transaction.messageBytes));
  }

  async function signMessage(content: Uint8Array): Promise<SignatureBytes> {
    const submitted = await client.signRawPayload({
      signWith: address,
      payload: toHex(content),
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_NOT_APPLICABLE',
    });
    const { r, s } = await resultWhenApproved(client, submitted, wait);
    return requireOwn(fromHex(r + s), content);
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
