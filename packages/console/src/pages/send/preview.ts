import type { ListedActivity, StampedRequest } from '@countersign/client';
import { provenNames } from '../../review/proof/prove-names.ts';
import type { Prover } from '../../review/proof/prove-record.ts';
import { type Decoded, readSigning } from '../../review/read-request.ts';
import { signedRequest } from '../../review/sent-request.ts';
import type { Knowledge, NameClaim, Signer } from '../../review/types.ts';
import { isPayment } from './check-payment.ts';
import type { Payment } from './ethereum-payment.ts';

/** A request that this browser built and decoded. */
export interface Preview {
  readonly request: StampedRequest;
  readonly reading: Decoded;
  readonly names: readonly NameClaim[];
  /** Why it cannot be submitted. */
  readonly problem?: 'mismatch' | 'unprovenToken';
}

/** The service assigns the nonce of what it sends. It changes nothing that is shown. */
const anyNonce = { intent: { preview: { nonce: '0' } } } as unknown as Pick<ListedActivity, 'intent'>;

/** Decodes a built request as approvers will, and compares it with the payment. Throws ChainError for a request that cannot be read. */
export async function previewOf(
  payment: Payment,
  request: StampedRequest,
  signer: Signer,
  knowledge: Knowledge,
  prover: Pick<Prover, 'record'>,
): Promise<Preview> {
  const { source, ...nameless } = signer;
  const signed = signedRequest(request, anyNonce);
  const bare = signed && readSigning(signed, nameless, { ...knowledge, contacts: [], tokens: [] });
  if (signed === undefined || bare === undefined) throw new TypeError('a payment is a signature');
  if (!isPayment(bare.effects, payment)) return { request, reading: bare, names: [], problem: 'mismatch' };
  const proven = await provenNames(bare.effects, signer, knowledge, prover);
  const reading = readSigning(signed, proven.signer, proven.knowledge) ?? bare;
  // SECURITY: D962: decimals of a token that the log does not prove would move the point of the amount.
  const isProven = proven.names.some(({ kind, proof, address }) => kind === 'token' && proof && address === payment.asset.id);
  const shown = { request, reading, names: proven.names };
  if (payment.asset.isOwn && !isProven) return { ...shown, problem: 'unprovenToken' };
  return reading.fullyParsed ? shown : { ...shown, problem: 'mismatch' };
}
