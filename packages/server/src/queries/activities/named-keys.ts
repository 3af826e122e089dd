import { queries, ServiceError } from '@countersign/contract';
import type { z } from 'zod';
import type { Resource, ResourceKind } from '../../organizations/records.ts';
import { showPrivateKey, showWallet, showWalletAccount } from '../../organizations/views.ts';
import type { QueryContext } from '../../pipeline/query.ts';
import type { Named } from './named-activities.ts';
import type { WrittenRecord } from './record-writers.ts';

type Answer = z.output<typeof queries.getActivityNames.output>;

/** Wallets, accounts and private keys, as queries show them. */
export interface NamedKeys extends Pick<Answer, 'wallets' | 'accounts' | 'privateKeys'> {
  readonly written: readonly WrittenRecord[];
}

/**
 * The keys that sign, and those that the parameters name by their ids. Accounts have their wallets.
 * SECURITY: D973: each kind is empty unless the caller may use the query that shows it.
 */
export async function keysNamed(context: QueryContext, { signers, keyIds }: Named): Promise<NamedKeys> {
  const { resources, organization, detailsReader, showBeyondSpec, endSlice } = context;
  const mayRead = {
    wallet: detailsReader.mayUse([queries.getWallet]),
    walletAccount: detailsReader.mayUse([queries.listWalletAccounts]),
    privateKey: detailsReader.mayUse([queries.getPrivateKey]),
  };
  const frozenIn = showBeyondSpec ? organization : undefined;
  const wallets = new Map<string, Answer['wallets'][number]>();
  const accounts = new Map<string, Answer['accounts'][number]>();
  const privateKeys = new Map<string, Answer['privateKeys'][number]>();
  const written = new Map<string, WrittenRecord>();
  const hasWriter = (
    kind: ResourceKind,
    { id, body: { updatedAtMs } }: { readonly id: string; readonly body: { readonly updatedAtMs: number } },
  ) => written.set(id, { kind, id, updatedAtMs });

  async function addAccount(account: Resource<'walletAccount'>): Promise<void> {
    const wallet = await resources.get(organization.id, 'wallet', account.body.walletId);
    accounts.set(account.id, showWalletAccount(organization.id, account, wallet));
    hasWriter('walletAccount', account);
    if (wallet !== undefined) hasWriter('wallet', wallet);
  }

  function addPrivateKey(key: Resource<'privateKey'>): void {
    privateKeys.set(key.id, showPrivateKey(key, frozenIn));
    hasWriter('privateKey', key);
  }

  /** The keys of a kind that exist. One that was deleted has no name. */
  async function* named<K extends ResourceKind>(kind: K): AsyncGenerator<Resource<K>> {
    for (const id of mayRead[kind] ? keyIds[kind] : []) {
      await endSlice();
      const found = await resources.get(organization.id, kind, id);
      if (found !== undefined) yield found;
    }
  }

  for (const signer of mayRead.walletAccount || mayRead.privateKey ? signers : []) {
    await endSlice();
    const key = await resources.signingKey(organization, signer).catch(unlessMissing);
    if (key?.kind === 'walletAccount' && mayRead.walletAccount) await addAccount(key);
    else if (key?.kind === 'privateKey' && mayRead.privateKey) addPrivateKey(key);
  }
  for await (const account of named('walletAccount')) await addAccount(account);
  for await (const key of named('privateKey')) addPrivateKey(key);
  for await (const wallet of named('wallet')) {
    wallets.set(wallet.id, showWallet(wallet, frozenIn));
    hasWriter('wallet', wallet);
  }
  return {
    wallets: [...wallets.values()],
    accounts: [...accounts.values()],
    privateKeys: [...privateKeys.values()],
    written: [...written.values()],
  };
}

/** A deleted key, and an address of several keys, have no name. */
function unlessMissing(error: unknown): undefined {
  if (error instanceof ServiceError && error.code === 'SIGN_WITH_NOT_FOUND') return undefined;
  throw error;
}
