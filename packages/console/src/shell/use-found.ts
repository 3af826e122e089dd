import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue } from 'react';
import { allPrivateKeys, allWallets } from '../data/lists.ts';
import { useFirstMatching } from '../data/search-list.ts';
import { useServiceQuery } from '../data/service-query.ts';
import { meaningOf } from '../pages/activities/meaning.ts';
import { typeLabel } from '../review/type-label.ts';
import type { IconName } from '../ui/icon.tsx';
import { words } from '../words/index.ts';

/** Something that the palette found, or an action. */
export interface Command {
  readonly key: string;
  readonly label: string;
  /** What it is, if the label alone does not tell. */
  readonly what?: string;
  readonly icon: IconName;
  run(): void;
}

const FEW = 5;
const { kinds } = words.shell.palette;

/** People, wallets, keys, contacts, policies, addresses and activities that a text names. The service searches, so lists may have any length. */
export function useFound(text: string): { readonly found: readonly Command[]; readonly isSearching: boolean } {
  const navigate = useNavigate();
  const wanted = useDeferredValue(text.trim());
  const meaning = meaningOf(wanted);
  const enabled = wanted.length > 1;
  const input = { matching: wanted, paginationOptions: { limit: String(FEW) } };
  const users = useServiceQuery('listUsers', input, { enabled });
  const wallets = useFirstMatching(allWallets, wanted, FEW, enabled);
  const privateKeys = useFirstMatching(allPrivateKeys, wanted, FEW, enabled);
  const contacts = useServiceQuery('listContacts', input, { enabled });
  const policies = useServiceQuery('listPolicies', input, { enabled });
  const isAddress = meaning?.is === 'address';
  const accountInput = { address: wanted, includeWalletDetails: true, paginationOptions: { limit: String(FEW) } };
  const accounts = useServiceQuery('listWalletAccounts', accountInput, { enabled: enabled && isAddress });
  const activityId = meaning?.is === 'activity' ? meaning.id : '';
  const activity = useServiceQuery('getActivity', { activityId }, { enabled: activityId !== '' }).data?.activity;
  const toList = (search: object) => void navigate({ to: '/activities', search: search as never });
  const found: Command[] = [];
  for (const { userId, userName } of users.data?.users ?? [])
    found.push({
      key: userId,
      label: userName,
      what: kinds.person,
      icon: 'me',
      run: () => void navigate({ to: '/people/$userId', params: { userId } }),
    });
  for (const { walletId, walletName } of wallets.data ?? [])
    found.push({
      key: walletId,
      label: walletName,
      what: kinds.wallet,
      icon: 'wallets',
      run: () => void navigate({ to: '/wallets/$walletId', params: { walletId } }),
    });
  for (const { privateKeyId, privateKeyName } of privateKeys.data ?? [])
    found.push({
      key: privateKeyId,
      label: privateKeyName,
      what: kinds.privateKey,
      icon: 'key',
      run: () => void navigate({ to: '/wallets', search: { tab: 'keys' } as never }),
    });
  for (const { walletAccountId, walletId, walletDetails } of accounts.data?.accounts ?? [])
    found.push({
      key: walletAccountId,
      label: kinds.account(walletDetails?.walletName ?? ''),
      what: kinds.address,
      icon: 'wallets',
      run: () => void navigate({ to: '/wallets/$walletId', params: { walletId } }),
    });
  for (const { contactId, label, address } of contacts.data?.contacts ?? [])
    found.push({
      key: contactId,
      label,
      what: kinds.contact,
      icon: 'contacts',
      run: () => toList({ to: address }),
    });
  for (const { policyId, policyName } of policies.data?.policies ?? [])
    found.push({
      key: policyId,
      label: policyName,
      what: kinds.policy,
      icon: 'policies',
      run: () => void navigate({ to: '/policies/$policyId', params: { policyId } }),
    });
  if (activity !== undefined)
    found.push({
      key: activity.id,
      label: activity.parsed?.description ?? typeLabel(activity.type),
      what: kinds.activity,
      icon: 'activities',
      run: () => void navigate({ to: '/activities/$activityId', params: { activityId: activity.id } }),
    });
  if (meaning !== undefined && 'filter' in meaning)
    found.push({
      key: 'activities',
      label: isAddress ? kinds.paymentsTo : kinds.paymentsOf(wanted),
      what: kinds.activity,
      icon: 'activities',
      run: () => toList(meaning.filter),
    });
  if (enabled && meaning !== undefined && meaning.is !== 'activity' && !isAddress)
    found.push({
      key: 'reference',
      label: kinds.withReference(wanted),
      what: kinds.activity,
      icon: 'activities',
      run: () => toList({ reference: wanted }),
    });
  const isSearching = enabled && [users, wallets, privateKeys, contacts, policies].some(({ isFetching }) => isFetching);
  return { found, isSearching };
}
