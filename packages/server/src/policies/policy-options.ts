import { addressFormats, canonicalAddress, normalizeEthereumAddress } from '@countersign/chains';
import { type ActivityDefinition, activities } from '@countersign/contract';
import type { CheckOptions, Normalizer } from '@countersign/policy';

/** The type without its prefix and version: `SIGN_TRANSACTION` for both versions of it. */
export function activityKind(type: string): string {
  return type.replace(/^ACTIVITY_TYPE_/, '').replace(/_V\d+$/, '');
}

const table = Object.values(activities as unknown as Record<string, ActivityDefinition>);
const unique = (words: readonly string[]) => [...new Set(words)].sort();

/** What the policy language needs from the rest of the service: canonical addresses, and the words of the contract. */
export const policyOptions: CheckOptions = {
  normalizers: {
    ethereum: orUndefined(normalizeEthereumAddress),
    solana: orUndefined(addressFormats.ADDRESS_FORMAT_SOLANA.normalize),
    tron: orUndefined(addressFormats.ADDRESS_FORMAT_TRON.normalize),
    bitcoin: canonicalAddress,
  },
  vocabularies: {
    'activity.type': unique(table.flatMap(({ versions }) => versions.map(({ type }) => type))),
    'activity.kind': unique(table.map(({ type }) => activityKind(type))),
    'activity.resource': unique(table.map(({ policy }) => policy.resource)),
    'activity.action': ['CREATE', 'UPDATE', 'DELETE', 'SIGN', 'EXPORT', 'IMPORT', 'VERIFY'],
  },
};

function orUndefined(normalize: (text: string) => string): Normalizer {
  return (text) => {
    try {
      return normalize(text);
    } catch {
      // Not an address of this kind: the checker says so with the place in the text.
      return undefined;
    }
  };
}
