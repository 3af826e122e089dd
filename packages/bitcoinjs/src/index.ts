import { type Client, resultWhenApproved, type WaitOptions } from '@countersign/client';
import type { Psbt, SignerAsync } from 'bitcoinjs-lib';
import { ownSignatures, verifyEcdsa, verifySchnorr } from './own-signatures.ts';

export interface SignOptions {
  /** A client of the dialect `turnkey`: the specification has no Bitcoin transactions. */
  readonly client: Client<'turnkey'>;
  /** The address of the account, or the id of the private key. */
  readonly signWith: string;
  /** How long to wait for approvals. */
  readonly wait?: WaitOptions;
}

/**
 * Signs every input that belongs to the key, checks the signatures and adds them to the PSBT. The service gets the whole PSBT, so that policies and
 * people can judge amounts, receivers and the fee. Finalize it as usual: `psbt.finalizeAllInputs().extractTransaction()`.
 */
export async function signPsbt(psbt: Psbt, { client, signWith, wait }: SignOptions): Promise<Psbt> {
  const unsignedTransaction = psbt.toHex();
  const submitted = await client.signTransaction({ signWith, unsignedTransaction, type: 'TRANSACTION_TYPE_BITCOIN' });
  const { signedTransaction } = await resultWhenApproved(client, submitted, wait);
  for (const [index, signatures] of ownSignatures(psbt, signedTransaction)) psbt.updateInput(index, signatures);
  return psbt;
}

/**
 * A signer for `psbt.signInputAsync`. It signs digests, and policies cannot see what such a signature is for: a policy has to allow that,
 * and signPsbt is better wherever it does.
 */
export function toCountersignSigner({
  client,
  signWith,
  wait,
  publicKey,
}: SignOptions & { readonly publicKey: Uint8Array }): SignerAsync {
  const sign = async (hash: Uint8Array, verify: typeof verifyEcdsa): Promise<Uint8Array> => {
    const submitted = await client.signRawPayload({
      signWith,
      payload: Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join(''),
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_NO_OP',
    });
    const { r, s } = await resultWhenApproved(client, submitted, wait);
    const signature = Uint8Array.from(`${r}${s}`.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
    // SECURITY: A71: accept only a signature of this digest by this key, even if `signWith` names another key.
    if (!verify(publicKey, hash, signature)) throw new Error(`The service did not sign this for the given public key.`);
    return signature;
  };
  // An address of a taproot output makes the service sign by BIP-340, with the key of the output.
  return { publicKey, sign: (hash) => sign(hash, verifyEcdsa), signSchnorr: (hash) => sign(hash, verifySchnorr) };
}
