import { type Client, resultWhenApproved, type WaitOptions } from '@countersign/client';
import { Psbt, type SignerAsync } from 'bitcoinjs-lib';

export interface SignOptions {
  /** A client of the dialect `turnkey`: the specification has no Bitcoin transactions. */
  readonly client: Client<'turnkey'>;
  /** The address of the account, or the id of the private key. */
  readonly signWith: string;
  /** How long to wait for approvals. */
  readonly wait?: WaitOptions;
}

/**
 * Signs every input that belongs to the key, and adds the signatures to the PSBT. The service gets the whole PSBT, so that policies and
 * people can judge amounts, receivers and the fee. Finalize it as usual: `psbt.finalizeAllInputs().extractTransaction()`.
 */
export async function signPsbt(psbt: Psbt, { client, signWith, wait }: SignOptions): Promise<Psbt> {
  const unsignedTransaction = psbt.toHex();
  const submitted = await client.signTransaction({ signWith, unsignedTransaction, type: 'TRANSACTION_TYPE_BITCOIN' });
  const { signedTransaction } = await resultWhenApproved(client, submitted, wait);
  // SECURITY: combine throws unless it is the same transaction.
  return psbt.combine(Psbt.fromHex(signedTransaction));
}

/**
 * A signer for `psbt.signInputAsync`. It signs digests, and nobody can tell what such a signature is for: a policy has to allow that,
 * and signPsbt is better wherever it does.
 */
export function toCountersignSigner({
  client,
  signWith,
  wait,
  publicKey,
}: SignOptions & { readonly publicKey: Uint8Array }): SignerAsync {
  const sign = async (hash: Uint8Array): Promise<Uint8Array> => {
    const submitted = await client.signRawPayload({
      signWith,
      payload: Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join(''),
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_NO_OP',
    });
    const { r, s } = await resultWhenApproved(client, submitted, wait);
    return Uint8Array.from(`${r}${s}`.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  };
  // An address of a taproot output makes the service sign by BIP-340.
  return { publicKey, sign, signSchnorr: sign };
}
