import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { ask, usePages } from '../../data/service-query.ts';
import { useSession } from '../../session/context.tsx';
import type { Account } from './account.ts';

/** Wallets whose accounts a search shows. */
const FEW = '5';
const LOADED = '100';

/** The accounts to choose from: the newest ones, or those that a search of the service finds. */
export interface AccountList {
  readonly accounts: readonly Account[];
  readonly account: Account | undefined;
  choose(walletAccountId: string): void;
  /** The service has more accounts than are loaded, so they can be searched. */
  readonly hasMore: boolean;
  readonly text: string;
  search(text: string): void;
  readonly isPending: boolean;
  readonly error: Error | null;
}

/** Loads one page of accounts, however many there are. `isOffered` says which of them can be chosen. */
export function useAccountList(isOffered: (account: Account) => boolean = () => true): AccountList {
  const { reader } = useSession();
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
  const found = useQuery({
    queryKey: ['foundAccounts', wanted],
    queryFn: async ({ signal }) => {
      const details = { includeWalletDetails: true };
      const [at, { wallets }] = await Promise.all([
        ask(reader, 'listWalletAccounts', { ...details, address: wanted }, signal),
        ask(reader, 'listWallets', { matching: wanted, paginationOptions: { limit: FEW } }, signal),
      ]);
      const own = wallets.map(({ walletId }) =>
        ask(reader, 'listWalletAccounts', { ...details, walletId, paginationOptions: { limit: LOADED } }, signal),
      );
      return [at, ...(await Promise.all(own))].flatMap(({ accounts }) => accounts);
    },
    enabled: wanted !== '' && wanted.length <= 128,
  });
  const offered = (wanted === '' ? pages.items : (found.data ?? [])).filter(isOffered);
  const account = chosen ?? offered[0];
  const others = offered.filter(({ walletAccountId }) => walletAccountId !== account?.walletAccountId);
  const isListed = account !== undefined && others.length < offered.length;
  const accounts = isListed || account === undefined ? offered : [account, ...others];
  return {
    ...{ accounts, account, text, search, hasMore: pages.hasMore, isPending: pages.isPending, error: pages.error },
    choose: (id) => setChosen(accounts.find(({ walletAccountId }) => walletAccountId === id)),
  };
}
