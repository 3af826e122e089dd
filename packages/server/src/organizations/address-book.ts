import { addressFormatIds, addressFormats, ChainError, canonicalAddress, normalizeEthereumAddress } from '@countersign/chains';
import type { ContactShape, TokenShape } from '@countersign/contract';
import type { ContactRecord, TokenRecord } from './records.ts';
import { dates } from './show.ts';

/** The formats of the chains whose transactions the service reads. */
const readFormats = addressFormatIds.filter((id) => /_(ETHEREUM|SOLANA|TRON|BITCOIN_.*)$/.test(id));

/** An address in the form that policies compare; undefined for a text that is no address of a chain whose transactions are read. */
export function readContactAddress(text: string): string | undefined {
  for (const id of readFormats) {
    try {
      const address = addressFormats[id].normalize(text);
      return id === 'ADDRESS_FORMAT_ETHEREUM' ? normalizeEthereumAddress(address) : address;
    } catch (error) {
      // Not an address of this format. Another may know it.
      if (!(error instanceof ChainError)) throw error;
    }
  }
  return undefined;
}

/** Chains and kinds of token by the beginning of their CAIP-19 names. */
const tokenKinds = [
  { prefix: /^eip155:[1-9]\d{0,18}\/erc(20|721|1155):/, normalize: normalizeEthereumAddress },
  { prefix: /^solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp\/token:/, normalize: addressFormats.ADDRESS_FORMAT_SOLANA.normalize },
  { prefix: /^tron:0x2b6653dc\/trc20:/, normalize: addressFormats.ADDRESS_FORMAT_TRON.normalize },
] as const;

/** The CAIP-19 name of a token in the form that policies compare; undefined for any other text. */
export function readTokenAsset(text: string): string | undefined {
  for (const { prefix, normalize } of tokenKinds) {
    const [start] = prefix.exec(text) ?? [];
    if (start === undefined) continue;
    try {
      return start + normalize(text.slice(start.length));
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      return undefined;
    }
  }
  return undefined;
}

export function showContact(contactId: string, record: ContactRecord): ContactShape {
  const { label, address, contactTags, notes } = record;
  return { contactId, label, address: canonicalAddress(address), contactTags: [...contactTags], notes, ...dates(record) };
}

export function showToken(tokenId: string, { asset, symbol, decimals }: TokenRecord): TokenShape {
  return { tokenId, asset, symbol, decimals, source: 'ORGANIZATION' };
}
