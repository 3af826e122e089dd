import { SelectField, TextField } from '../../ui/field.tsx';
import { words } from '../../words/index.ts';
import { chainName } from '../wallets/chains.ts';
import type { AccountList } from './use-account-list.ts';

const texts = words.sign;

/** The account that signs, and a search if there are more accounts than a selection can have. */
export function AccountField({ label, list }: { label: string; list: AccountList }) {
  const { accounts, account, choose, hasMore, text, search } = list;
  return (
    <>
      {hasMore && (
        <TextField label={texts.findAccount} hint={texts.findAccountHint} type="search" value={text} onChange={search} />
      )}
      {account !== undefined && (
        <SelectField
          label={label}
          value={account.walletAccountId}
          onChange={choose}
          options={accounts.map(({ walletAccountId, address, addressFormat, walletDetails }) => ({
            value: walletAccountId,
            label: `${walletDetails?.walletName ?? ''} · ${chainName(addressFormat)} · ${address}`,
          }))}
        />
      )}
    </>
  );
}
