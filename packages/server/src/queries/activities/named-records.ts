import { lookAlikesOf } from '@countersign/chains';
import { queries } from '@countersign/contract';
import type { z } from 'zod';
import { showContact, showToken } from '../../organizations/address-book.ts';
import type { ContactRecord } from '../../organizations/records.ts';
import { contactsByAddress, tokensByAsset } from '../../organizations/snapshot/indexes.ts';
import type { QueryContext } from '../../pipeline/query.ts';
import { pageOf } from '../page.ts';
import type { Named } from './named-activities.ts';
import { keysNamed } from './named-keys.ts';
import type { WrittenRecord } from './record-writers.ts';

type Answer = z.output<typeof queries.getActivityNames.output>;

/** Records with names, as queries show them. */
export interface NamedRecords
  extends Pick<Answer, 'contacts' | 'similarContacts' | 'tokens' | 'wallets' | 'accounts' | 'privateKeys' | 'namedActivityIds'> {
  readonly written: readonly WrittenRecord[];
}

/**
 * The records that name something.
 * SECURITY: D973: each part is empty unless the caller may use the query that shows it.
 */
export async function recordsNaming(context: QueryContext, named: Named, maxSimilar: number): Promise<NamedRecords> {
  const { detailsReader } = context;
  const book = detailsReader.mayUse([queries.listContacts]) ? await contactsAt(context, named.addresses, maxSimilar) : noContacts;
  const tokens = detailsReader.mayUse([queries.listTokens]) ? tokensFor(context, named.assets) : [];
  const interfaces = detailsReader.mayUse([queries.listSmartContractInterfaces]) ? interfacesFor(context, named) : [];
  const { written, ...keys } = await keysNamed(context, named);
  return {
    ...{ contacts: book.contacts, similarContacts: book.similarContacts },
    tokens: tokens.map(({ token }) => token),
    ...keys,
    // SECURITY: D1052: a look-alike that is left out may be the one to warn about.
    namedActivityIds: book.similarContacts.length < maxSimilar ? [...named.activityIds] : [],
    written: [...book.written, ...tokens.map(({ written }) => written), ...written, ...interfaces],
  };
}

const noContacts = { contacts: [], similarContacts: [], written: [] };

async function contactsAt(context: QueryContext, addresses: readonly string[], maxSimilar: number) {
  const { contact } = context.organization.records;
  const byAddress = contactsByAddress(contact);
  const named = addresses.flatMap((address) => [...(byAddress.get(address) ?? [])]);
  const isSimilar = lookAlikesOf(addresses);
  const show = (id: string, each: ContactRecord) => (isSimilar(each.address) ? showContact(id, each, contact) : undefined);
  return {
    contacts: named.map(([id, each]) => showContact(id, each, contact)),
    similarContacts: await pageOf(context, contact, { limit: `${maxSimilar}` }, show),
    written: named.map(([id, { updatedAtMs }]): WrittenRecord => ({ kind: 'contact', id, updatedAtMs })),
  };
}

function tokensFor({ organization }: QueryContext, assets: readonly string[]) {
  const byAsset = tokensByAsset(organization.records.token);
  return assets.flatMap((asset) =>
    [...(byAsset.get(asset) ?? [])].map(([id, token]) => ({
      token: showToken(id, token),
      written: { kind: 'token', id, updatedAtMs: token.updatedAtMs } satisfies WrittenRecord,
    })),
  );
}

/** The contract interfaces for addresses and for contracts of assets. Clients list them with another query, and need their proofs. */
function interfacesFor({ organization }: QueryContext, { addresses, assets }: Named): readonly WrittenRecord[] {
  const named = new Set([...addresses, ...assets.flatMap((asset) => /:([^:/]+)(?:\/\d+)?$/.exec(asset)?.[1] ?? [])]);
  return [...organization.records.smartContractInterface].flatMap(([id, { smartContractAddress, updatedAtMs }]) =>
    named.has(smartContractAddress) ? [{ kind: 'smartContractInterface' as const, id, updatedAtMs }] : [],
  );
}
