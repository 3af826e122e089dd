import { addressFormats, bitcoinSpellings, canonicalAddress, normalizeEthereumAddress } from '@countersign/chains';
import type { Spelling } from '@countersign/contract';
import type { CheckOptions, Normalizer } from '@countersign/policy';
import { p256 as curve } from '@noble/curves/nist.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import type { WalletAccountBody } from './records.ts';

const p256 = orUndefined((hex) => {
  const point = curve.Point.fromBytes(hexToBytes(hex));
  point.assertValidity();
  return bytesToHex(point.toBytes(false));
});
const ethereum = orUndefined(normalizeEthereumAddress);

/** The one spelling of each literal in a policy. SECURITY: values and literals are spelled by the same functions. */
export const normalizers: NonNullable<CheckOptions['normalizers']> = {
  ethereum,
  solana: orUndefined(addressFormats.ADDRESS_FORMAT_SOLANA.normalize),
  tron: orUndefined(addressFormats.ADDRESS_FORMAT_TRON.normalize),
  bitcoin: bitcoinSpellings,
  p256,
};

/** The one spelling of each parameter that a policy sees. */
export const spelling: Spelling = {
  p256,
  address: (text) => ethereum(text) ?? canonicalAddress(text),
};

/** The address of an account in the form that policies compare: on Ethereum that of `eth.tx`, elsewhere the one canonical text. */
export function policyAddress({ addressFormat, address }: Pick<WalletAccountBody, 'addressFormat' | 'address'>): string {
  return addressFormat === 'ADDRESS_FORMAT_ETHEREUM' ? normalizeEthereumAddress(address) : address;
}

function orUndefined(normalize: (text: string) => string): Normalizer {
  return (text) => {
    try {
      return normalize(text);
    } catch {
      // The text is not of this kind. The checker says so, with the place in the policy.
      return undefined;
    }
  };
}
