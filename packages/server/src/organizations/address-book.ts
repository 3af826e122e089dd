import { canonicalAddress } from '@countersign/chains';
import type { ContactShape, TokenShape } from '@countersign/contract';
import type { ContactRecord, TokenRecord } from './records.ts';
import { dates } from './views.ts';

export function showContact(contactId: string, record: ContactRecord): ContactShape {
  const { label, address, contactTags, notes } = record;
  return { contactId, label, address: canonicalAddress(address), contactTags: [...contactTags], notes, ...dates(record) };
}

export function showToken(tokenId: string, { asset, symbol, decimals }: TokenRecord): TokenShape {
  return { tokenId, asset, symbol, decimals, source: 'ORGANIZATION' };
}
