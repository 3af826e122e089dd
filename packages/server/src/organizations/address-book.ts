import {
  addressFormatIds,
  addressFormats,
  ChainError,
  canonicalAddress,
  canonicalAsset,
  normalizeEthereumAddress,
} from '@countersign/chains';
import type { ContactShape, TokenShape } from '@countersign/contract';
import type { ContactRecord, TokenRecord } from './records.ts';
import { dates } from './views.ts';

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

/** The CAIP-19 name of a token of a contract in the form that policies compare; undefined for any other text. */
export function readTokenAsset(text: string): string | undefined {
  const asset = canonicalAsset(text);
  return asset === undefined || /\/(slip44|trc10):/.test(asset) ? undefined : asset;
}

export function showContact(contactId: string, record: ContactRecord): ContactShape {
  const { label, address, contactTags, notes } = record;
  return { contactId, label, address: canonicalAddress(address), contactTags: [...contactTags], notes, ...dates(record) };
}

export function showToken(tokenId: string, { asset, symbol, decimals }: TokenRecord): TokenShape {
  return { tokenId, asset, symbol, decimals, source: 'ORGANIZATION' };
}
