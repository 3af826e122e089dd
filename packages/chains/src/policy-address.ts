import { type AddressFormatId, addressFormats } from './addresses/address-formats.ts';
import { canonicalAddress } from './addresses/canonical-address.ts';
import type { Chain } from './chain.ts';
import { allChains } from './chains.ts';
import { ChainError } from './errors.ts';

/** The form of an address that policies compare. A text that is no address stays as it is. */
export function policyAddress(text: string): string {
  return first(allChains, ({ addresses }) => addresses.toPolicyForm?.(text)) ?? canonicalAddress(text);
}

const withSeveralForms = allChains.filter(({ addresses }) => addresses.hasSeveralForms === true);

/** Every form of an address that policies compare. A text that is no address stays as it is. */
export function policyAddressForms(text: string): readonly string[] {
  const forms = first(withSeveralForms, ({ addresses }) => addresses.forms(text));
  return [forms ?? policyAddress(text)].flat();
}

const chainOfFormat: ReadonlyMap<string, Chain> = new Map(
  allChains.flatMap((chain) => chain.addresses.formats.map((format) => [format, chain])),
);

/** The canonical address of an account in the form that policies compare. */
export function accountAddress({ addressFormat, address }: Account): string {
  return chainOfFormat.get(addressFormat)?.addresses.toPolicyForm?.(address) ?? address;
}

interface Account {
  readonly addressFormat: string;
  readonly address: string;
}

/** Reads an address of a chain in the table, in the form that policies compare. Undefined for any other text. */
export function readChainAddress(text: string): string | undefined {
  return first([...chainOfFormat.keys()] as AddressFormatId[], (format) =>
    accountAddress({ addressFormat: format, address: addressFormats[format].normalize(text) }),
  );
}

/** The networks on which an address counts, for example "every EVM network". Undefined if no chain has such addresses. */
export function networksOf(address: string): string | undefined {
  return first(allChains, ({ addresses }) => (addresses.forms(address) === undefined ? undefined : addresses.networks));
}

/** Whether a text is an address in one of the formats. */
export function isAddress(text: string): boolean {
  if (text.length > MAX_ADDRESS_LENGTH) return false;
  return first(Object.values(addressFormats), (format) => format.normalize(text)) !== undefined;
}

/** The longest address: an uncompressed public key. */
const MAX_ADDRESS_LENGTH = 132;

/** The first result of `read`. An item whose `read` gives undefined or throws a ChainError is skipped. */
function first<T, R>(items: readonly T[], read: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    try {
      const result = read(item);
      if (result !== undefined) return result;
    } catch (error) {
      // Not an address of this item. The next one may read it.
      if (!(error instanceof ChainError)) throw error;
    }
  }
  return undefined;
}
