import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { isForbidden } from '../../data/errors.ts';
import { allPrivateKeys, wholeList } from '../../data/lists.ts';
import { ask, usePages } from '../../data/service-query.ts';
import { useSession } from '../../session/context.tsx';
import { type Account, accountOfWallet, accountsOfKey } from './account.ts';

/** Wallets whose accounts a search shows. */
const FEW = '5';
const LOADED = '100';

/** The accounts to choose from: the newest ones, or those that a search finds. */
export interface AccountList {
  readonly accounts: readonly Account[];
  readonly account: Account | undefined;
  choose(id: string): void;
  /** The service has more accounts than are loaded, so they can be searched. */
  readonly hasMore: boolean;
  readonly text: string;
  search(text: string): void;
  readonly isPending: boolean;
  readonly error: Error | null;
}

/** Loads one page of wallet accounts and one of private keys, however many there are. `isOffered` says which of them can be chosen. */
export function useAccountList(isOffered: (account: Account) => boolean = () => true): AccountList {
  const [chosen, setChosen] = useState<Account>();
  const [text, search] = useState('');
  const wanted = useDeferredValue(text.trim());
  const pages = usePages(
    'listWalletAccounts',
    { includeWalletDetails: true },
    (page) => page.accounts,
    ({ walletAccountId }) => walletAccountId,
    LOADED,
  );
  const keys = usePages(
    'listPrivateKeys',
    {},
    (page) => page.privateKeys,
    ({ privateKeyId }) => privateKeyId,
    LOADED,
  );
  const found = useFound(wanted);
  const newest = [...pages.items.map(accountOfWallet), ...keys.items.flatMap(accountsOfKey)];
  const offered = (wanted === '' ? newest : (found ?? [])).filter(isOffered);
  const account = chosen ?? offered[0];
  const others = offered.filter(({ id }) => id !== account?.id);
  const isListed = account !== undefined && others.length < offered.length;
  const accounts = isListed || account === undefined ? offered : [account, ...others];
  return {
    ...{ accounts, account, text, search, hasMore: pages.hasMore || keys.hasMore },
    isPending: pages.isPending || keys.isPending,
    error: pages.error ?? (isForbidden(keys.error) ? null : keys.error),
    choose: (wantedId) => setChosen(accounts.find(({ id }) => id === wantedId)),
  };
}

/** The accounts that a search finds, by the name of the wallet or private key or by a whole address. */
function useFound(wanted: string): readonly Account[] | undefined {
  const { reader } = useSession();
  const queries = useQueryClient();
  return useQuery({
    queryKey: ['foundAccounts', wanted],
    queryFn: async ({ signal }) => {
      const details = { includeWalletDetails: true };
      const [at, { wallets }, keys] = await Promise.all([
        ask(reader, 'listWalletAccounts', { ...details, address: wanted }, signal),
        ask(reader, 'listWallets', { matching: wanted, paginationOptions: { limit: FEW } }, signal),
        // The service has no search of private keys. The list is loaded once.
        queries.fetchQuery({ ...wholeList(reader, queries, allPrivateKeys), staleTime: 60_000 }).catch(unlessForbidden),
      ]);
      const own = wallets.map(({ walletId }) =>
        ask(reader, 'listWalletAccounts', { ...details, walletId, paginationOptions: { limit: LOADED } }, signal),
      );
      const listed = [at, ...(await Promise.all(own))].flatMap(({ accounts }) => accounts);
      const name = wanted.toLowerCase();
      const isFound = (account: Account) => account.name.toLowerCase().includes(name) || account.address.toLowerCase() === name;
      return [...listed.map(accountOfWallet), ...keys.flatMap(accountsOfKey).filter(isFound)];
    },
    enabled: wanted !== '' && wanted.length <= 128,
  }).data;
}

function unlessForbidden(error: unknown): readonly [] {
  if (isForbidden(error)) return [];
  throw error;
}
