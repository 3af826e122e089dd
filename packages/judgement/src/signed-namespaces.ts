import { costOf, type Effect, effectView } from '@countersign/chains';
import type { HostValue } from '@countersign/policy';
import { signerAddress } from './normalizers.ts';
import type { ParsedSubject } from './subject.ts';

/** SECURITY: an empty list would read as "does nothing". A message whose effects nobody listed does something unknown. */
const unlisted: readonly Effect[] = [{ kind: 'UNKNOWN', what: 'a message whose effects are not listed', bytes: 0 }];

/** What was read of a transaction or a typed message. */
type SignedContent = Pick<ParsedSubject, 'namespace' | 'policy' | 'effects' | 'fullyParsed'> & {
  /** Where that is less than `fullyParsed`. SECURITY: what the service learns to read must not widen a policy on `tx.fully_parsed`. */
  readonly fullyParsedByInterfaces?: boolean;
};

/**
 * What policies see of a transaction or a typed message. `self` is the address that signs, where it is known.
 * Effects and costs are made when a policy first asks for them.
 */
export function signedNamespaces(
  { namespace, policy, effects, fullyParsed, fullyParsedByInterfaces = fullyParsed }: SignedContent,
  self?: string,
): Record<string, HostValue> {
  const listed = effects.length === 0 ? unlisted : effects;
  const namespaces: Record<string, HostValue> = { [namespace]: policy, effects: () => listed.map(effectView) };
  if (!namespace.endsWith('.tx')) return namespaces;
  const signer = signerAddress({ namespace, policy }, self);
  return {
    ...namespaces,
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
