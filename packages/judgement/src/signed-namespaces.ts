import { costOf, type Effect, effectView, paymentsOf } from '@countersign/chains';
import type { HostValue } from '@countersign/policy';
import { signerAddress } from './normalizers.ts';
import type { ParsedSubject } from './subject.ts';

/** SECURITY: an empty list would mean "does nothing". A message without a list of effects does something unknown. */
const unlisted: readonly Effect[] = [{ kind: 'UNKNOWN', what: 'a message whose effects are not listed', bytes: 0 }];

const IS_PAYMENT = 'tx.is_payment';
const PAYMENTS = 'tx.payments';

/** The payment view of everything that is signed and is not a payment: raw payloads and messages too. `tx.payments` has no value. */
export const noPayment: Readonly<Record<string, HostValue>> = { [IS_PAYMENT]: false };

/** The parsed content of a transaction or a typed message. */
type SignedContent = Pick<ParsedSubject, 'namespace' | 'policy' | 'effects' | 'fullyParsed' | 'signer'> & {
  /** Defaults to `fullyParsed`. SECURITY: contracts that the service learns to parse must not widen a policy on `tx.fully_parsed`. */
  readonly fullyParsedByInterfaces?: boolean;
};

/**
 * The namespaces of a transaction or a typed message. `self` is the address of the signer, if known.
 * Effects and costs are computed when a policy first reads them.
 */
export function signedNamespaces(
  { namespace, policy, effects, fullyParsed, signer: parsedSigner, fullyParsedByInterfaces = fullyParsed }: SignedContent,
  self?: string,
): Record<string, HostValue> {
  const listed = effects.length === 0 ? unlisted : effects;
  const namespaces: Record<string, HostValue> = { [namespace]: policy, effects: () => listed.map(effectView), ...noPayment };
  if (!namespace.endsWith('.tx')) return namespaces;
  const signer = signerAddress({ namespace, policy }, self);
  const payments = once(() => paymentsOf({ effects, fullyParsed, signer: parsedSigner ?? signer }));
  return {
    ...namespaces,
    [IS_PAYMENT]: () => payments() !== undefined,
    [PAYMENTS]: () => payments()?.map((payment) => ({ ...payment })),
    tx: () => {
      const { maxFee, maxCost } = costOf(effects, signer);
      return {
        fully_parsed: fullyParsedByInterfaces,
        understood: fullyParsed && effects.length > 0,
        ...(maxFee !== undefined && { max_fee: maxFee }),
        ...(maxCost !== undefined && { max_cost: maxCost }),
      };
    },
  };
}

function once<T>(compute: () => T): () => T {
  let computed: { readonly value: T } | undefined;
  return () => {
    computed ??= { value: compute() };
    return computed.value;
  };
}
