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
          value={account.id}
          onChange={choose}
          options={accounts.map(({ id, name, kind, address, addressFormat }) => ({
            value: id,
            label: `${kind === 'wallet' ? name : texts.privateKey(name)} · ${chainName(addressFormat)} · ${address}`,
          }))}
        />
      )}
    </>
  );
}
