import type { SubmittedName } from '../../data/submitted-name.ts';
import type { Signer } from '../../review/types.ts';
import type { Draft, Suggestion } from './draft.ts';
import type { Built, PaidAsset, Payment } from './payment.ts';

/** What a request is built with, in addition to the payment. */
export interface BuildOptions {
  /** The name of the payment, which makes it happen once. Absent if the service only signs it. */
  readonly idempotencyKey?: string;
  /** On EVM chains, given by the person if the service only signs the payment. */
  readonly nonce?: bigint;
  readonly timestampMs: number;
  readonly signer: Signer;
}

/** How payments are made on the networks of a CAIP-2 namespace. `Fees` is what its fee fields give. */
export interface PaymentChain<Fees = unknown> {
  /** The networks that an account with an address of this format pays on, by their CAIP-2 names. */
  networksOf(addressFormat: string): readonly string[];
  /** An address of the network in its usual form. Undefined for other texts, and for a wrong checksum. */
  readReceiver(text: string, network: string): string | undefined;
  /** Whether an address shows that no one has its key. */
  isNobody(to: string, asset: PaidAsset): boolean;
  /** The fees of a draft. Undefined while they are incomplete or too high. */
  feesOf(draft: Draft, asset: PaidAsset, suggestions: readonly Suggestion[] | undefined): Fees | undefined;
  /** Throws ChainError for a payment that cannot be encoded. */
  build(payment: Payment<Fees>, options: BuildOptions): Built;
  /** SECURITY: D963: the highest network fee that the built request may have, in base units of the coin. */
  mostFee(payment: Payment<Fees>, built: Built): bigint;
  /** Payments can have a text on the chain. */
  readonly hasMemo?: true;
  /** The activity that sends a payment. */
  readonly sends: SubmittedName;
  /**
   * What a person can do if the service has no endpoint of the network: state a nonce and sign the payment, paste a transaction of another
   * tool, or nothing. The console speaks the specified dialect, in which SIGN_TRANSACTION has no Bitcoin.
   */
  readonly withoutNode: 'NONCE' | 'PASTED' | 'NOTHING';
}
