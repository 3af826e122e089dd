import { chains, policyAddress } from '@countersign/chains';
import type { ChainId, Spelling } from '@countersign/contract';
import type { AddressForms, CheckOptions } from '@countersign/policy';
import { p256 as curve } from '@noble/curves/nist.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import type { ParsedSubject } from './subject.ts';

const p256 = orUndefined((hex) => {
  const point = curve.Point.fromBytes(hexToBytes(hex));
  point.assertValidity();
  return bytesToHex(point.toBytes(false));
});

const addressForms = Object.fromEntries(
  Object.values(chains).map(({ id, addresses }) => [id, orUndefined<string | readonly string[]>(addresses.forms)]),
) as { readonly [Id in ChainId]: AddressForms };

/** The canonical form of each literal in a policy. SECURITY: the same functions normalize values and literals. */
export const normalizers: Required<NonNullable<CheckOptions['normalizers']>> = { ...addressForms, p256 };

/** The canonical form of each parameter that a policy sees. */
export const spelling: Spelling = { p256, address: policyAddress };

/** The address that signs a transaction: the signer in its policy values, or else the account's address. */
export function signerAddress(
  { namespace, policy }: Pick<ParsedSubject, 'namespace' | 'policy'>,
  account: string | undefined,
): string | undefined {
  const field = signerFields.get(namespace);
  const signer = field === undefined ? undefined : policy[field];
  return typeof signer === 'string' ? signer : account;
}

const signerFields: ReadonlyMap<string, string | undefined> = new Map(
  Object.values(chains).map(({ namespace, signerField }) => [namespace, signerField]),
);

function orUndefined<T>(normalize: (text: string) => T | undefined): (text: string) => T | undefined {
  return (text) => {
    try {
      return normalize(text);
    } catch {
      // The text has another format. The checker reports it with its position in the policy.
      return undefined;
    }
  };
}
