import type { ListedActivity, StampedRequest } from '@countersign/client';
import { provenNames } from '../../review/proof/prove-names.ts';
import type { Prover } from '../../review/proof/prove-record.ts';
import { type Decoded, readSigning } from '../../review/read-request.ts';
import { signedRequest } from '../../review/sent-request.ts';
import type { Knowledge, NameClaim, Signer } from '../../review/types.ts';
import { isPayment, isRequestOf } from './check-payment.ts';
import type { Built, Payment } from './payment.ts';
import { paymentChainOf } from './payment-chains.ts';

/** A request that this browser built and decoded. */
export interface Preview {
  readonly request: StampedRequest;
  readonly reading: Decoded;
  readonly names: readonly NameClaim[];
  /** Why it cannot be submitted. */
  readonly problem?: 'mismatch' | 'unprovenToken';
}

/** What the service fills in of a transaction that it sends. It changes nothing that is shown. */
const filledIn = {
  nonce: '0',
  recentBlockhash: `${'1'.repeat(31)}2`,
  ...{ refBlockBytes: '0001', refBlockHash: '0000000000000001', expiration: '1700000000000' },
};
const anyState = { intent: { preview: filledIn } } as unknown as Pick<ListedActivity, 'intent'>;

/** Decodes a built request as approvers will, and compares it with the payment. Throws ChainError for a request that cannot be read. */
export async function previewOf(
  payment: Payment,
  request: StampedRequest,
  signer: Signer,
  knowledge: Knowledge,
  prover: Pick<Prover, 'record'>,
): Promise<Preview> {
  const { source, ...nameless } = signer;
  const signed = signedRequest(request, anyState);
  const bare = signed && readSigning(signed, nameless, { ...knowledge, contacts: [], tokens: [] });
  if (signed === undefined || bare === undefined) throw new TypeError('a payment is a signature');
  const mostFee = paymentChainOf(payment.network).mostFee(payment, request as Built);
  if (!isRequestOf(request, payment) || !isPayment(bare.effects, payment, mostFee))
    return { request, reading: bare, names: [], problem: 'mismatch' };
  const proven = await provenNames(bare.effects, signer, knowledge, prover);
  const reading = readSigning(signed, proven.signer, proven.knowledge) ?? bare;
  // SECURITY: D962: decimals of a token that the log does not prove would move the point of the amount.
  const isProven = proven.names.some(({ kind, proof, address }) => kind === 'token' && proof && address === payment.asset.id);
  const shown = { request, reading, names: proven.names };
  if (payment.asset.isOwn && !isProven) return { ...shown, problem: 'unprovenToken' };
  return reading.fullyParsed ? shown : { ...shown, problem: 'mismatch' };
}
