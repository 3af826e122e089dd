import { lookAlikesOf } from '@countersign/chains';
import { queries, ServiceError } from '@countersign/contract';
import type { z } from 'zod';
import { showContact, showToken } from '../../organizations/address-book.ts';
import type { ContactRecord } from '../../organizations/records.ts';
import { contactsByAddress, tokensByAsset } from '../../organizations/snapshot/indexes.ts';
import type { SigningKey } from '../../organizations/snapshot/signing-keys.ts';
import { showPrivateKey, showWalletAccount } from '../../organizations/views.ts';
import type { QueryContext } from '../../pipeline/query.ts';
import { pageOf } from '../page.ts';
import type { Named } from './named-activities.ts';
import type { WrittenRecord } from './record-writers.ts';

type Answer = z.output<typeof queries.getActivityNames.output>;

/** Records with names, as queries show them. */
export interface NamedRecords
  extends Pick<Answer, 'contacts' | 'similarContacts' | 'tokens' | 'accounts' | 'privateKeys' | 'namedActivityIds'> {
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
  const keys = await keysNamed(context, named.signers);
  return {
    ...{ contacts: book.contacts, similarContacts: book.similarContacts },
    tokens: tokens.map(({ token }) => token),
    ...{ accounts: keys.accounts, privateKeys: keys.privateKeys },
    // SECURITY: D1052: a look-alike that is left out may be the one to warn about.
    namedActivityIds: book.similarContacts.length < maxSimilar ? [...named.activityIds] : [],
    written: [...book.written, ...tokens.map(({ written }) => written), ...keys.written],
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

/** The accounts and the private keys that sign, with their wallets. */
async function keysNamed(context: QueryContext, signers: readonly string[]) {
  const { resources, organization, detailsReader, showBeyondSpec, endSlice } = context;
  const mayReadAccounts = detailsReader.mayUse([queries.listWalletAccounts]);
  const mayReadKeys = detailsReader.mayUse([queries.getPrivateKey]);
  const accounts = new Map<string, Answer['accounts'][number]>();
  const privateKeys = new Map<string, Answer['privateKeys'][number]>();
  const written = new Map<string, WrittenRecord>();
  for (const signer of mayReadAccounts || mayReadKeys ? signers : []) {
    await endSlice();
    const key = await resources.signingKey(organization, signer).catch(unlessMissing);
    if (key?.kind === 'walletAccount' && mayReadAccounts) {
      const { walletId, updatedAtMs } = key.body;
      const wallet = await resources.get(organization.id, 'wallet', walletId);
      accounts.set(key.id, showWalletAccount(organization.id, key, wallet));
      written.set(key.id, { kind: 'walletAccount', id: key.id, updatedAtMs });
      if (wallet !== undefined) written.set(walletId, { kind: 'wallet', id: walletId, updatedAtMs: wallet.body.updatedAtMs });
    } else if (key?.kind === 'privateKey' && mayReadKeys) {
      privateKeys.set(key.id, showPrivateKey(key, showBeyondSpec ? organization : undefined));
      written.set(key.id, { kind: 'privateKey', id: key.id, updatedAtMs: key.body.updatedAtMs });
    }
  }
  return { accounts: [...accounts.values()], privateKeys: [...privateKeys.values()], written: [...written.values()] };
}

/** A deleted key, and an address of several keys, have no name. */
function unlessMissing(error: unknown): SigningKey | undefined {
  if (error instanceof ServiceError && error.code === 'SIGN_WITH_NOT_FOUND') return undefined;
  throw error;
}
