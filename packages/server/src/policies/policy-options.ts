import { addressFormats, canonicalAddress, normalizeEthereumAddress } from '@countersign/chains';
import { type ActivityDefinition, activities, activityTypes } from '@countersign/contract';
import type { CheckOptions, Normalizer } from '@countersign/policy';

/** The type without its prefix and version: `SIGN_TRANSACTION` for both versions of it. */
export function activityKind(type: string): string {
  return type.replace(/^ACTIVITY_TYPE_/, '').replace(/_V\d+$/, '');
}

const table = Object.values(activities as unknown as Record<string, ActivityDefinition>);
const unique = (words: readonly string[]) => [...new Set(words)].sort();
const types = unique([...activityTypes, ...table.flatMap(({ versions }) => versions.map(({ type }) => type))]);
const { encoding, hashFunction } = activities.signRawPayload.params.shape;

/** What activities can act on. Some of it no release offers yet: a policy may be written, or brought along, before it can matter. */
const resources = [
  'AUTH',
  'CONFIG',
  'CREDENTIAL',
  'INVITATION',
  'MFA_POLICY',
  'ORGANIZATION',
  'OTP',
  'PAYMENT_METHOD',
  'POLICY',
  'PRIVATE_KEY',
  'RECOVERY',
  'SESSION_PROFILE',
  'SMART_CONTRACT_INTERFACE',
  'SUBSCRIPTION',
  'USER',
  'WALLET',
  'WEBHOOK_ENDPOINT',
];

/** What the policy language needs from the rest of the service: canonical addresses, and the words of the contract. */
export const policyOptions: CheckOptions = {
  normalizers: {
    ethereum: orUndefined(normalizeEthereumAddress),
    solana: orUndefined(addressFormats.ADDRESS_FORMAT_SOLANA.normalize),
    tron: orUndefined(addressFormats.ADDRESS_FORMAT_TRON.normalize),
    bitcoin: canonicalAddress,
  },
  vocabularies: {
    'activity.type': types,
    'activity.kind': unique(types.map(activityKind)),
    'activity.resource': unique([...resources, ...table.map(({ policy }) => policy.resource)]),
    'activity.action': ['CREATE', 'UPDATE', 'DELETE', 'SIGN', 'EXPORT', 'IMPORT', 'VERIFY', 'ENCRYPT'],
    hash_function: hashFunction.options,
    payload_encoding: encoding.options,
    transaction_type: activities.signTransaction.params.shape.type.options,
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
