import { canonicalAddress, conflictWithShipped, networksOf } from '@countersign/chains';
import type { ContactShape, TokenShape } from '@countersign/contract';
import { labelWarnings } from './names.ts';
import type { ContactRecord, TokenRecord } from './records.ts';
import { dates } from './views.ts';

export function showContact(contactId: string, record: ContactRecord, all: ReadonlyMap<string, ContactRecord>): ContactShape {
  const { label, address, contactTags, notes } = record;
  const warnings = labelWarnings(all, contactId, record);
  return {
    contactId,
    label,
    address: canonicalAddress(address),
    networks: networksOf(address) ?? '',
    contactTags: [...contactTags],
    notes,
    ...(warnings.length > 0 && { warnings: [...warnings] }),
    ...dates(record),
  };
}

export function showToken(tokenId: string, { asset, symbol, decimals }: TokenRecord): TokenShape {
  const ignored = ignoredBecause(asset, symbol);
  return { tokenId, asset, symbol, decimals, source: 'ORGANIZATION', ...(ignored !== undefined && { ignored }) };
}

/** Why an entry of an organization does not count. Undefined if it does. Earlier releases accepted more. */
export function ignoredBecause(asset: string, symbol: string): string | undefined {
  const conflict = conflictWithShipped(asset, symbol);
  if (conflict === undefined) return undefined;
  return conflict.kind === 'ASSET'
    ? `the service lists this token as ${conflict.symbol}`
    : `the service lists a token or coin of this network as ${conflict.symbol}`;
}
