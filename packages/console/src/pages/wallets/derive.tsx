import { useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { usePages } from '../../data/service-query.ts';
import { useSubmit } from '../../data/submit.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { words } from '../../words/index.ts';
import { accountParams, type Chain, chains, pathAt } from './chains.ts';

const texts = words.wallets;

/** Derives an account. Suggests the next free path of the chain. */
export function DeriveAccount({ walletId, onClose }: { walletId: string; onClose(): void }) {
  const { items } = usePages(
    'listWalletAccounts',
    { walletId },
    (page) => page.accounts,
    ({ walletAccountId }) => walletAccountId,
  );
  const [chainId, setChainId] = useState<string>('ethereum');
  const [path, setPath] = useState<string>();
  const [name, setName] = useState('');
  const chain = chains.find(({ id }) => id === chainId) as Chain;
  const taken = new Set(items.map((account) => account.path));
  const free =
    Array.from({ length: items.length + 1 }, (_, index) => pathAt(chain, index)).find((each) => !taken.has(each)) ??
    pathAt(chain, 0);
  const derive = useSubmit('createWalletAccounts', { done: texts.derived, onSent: onClose });
  const errors = fieldErrors(derive.error);
  return (
    <FormDialog
      title={texts.deriveTitle}
      action={texts.derive}
      isUnfinished={false}
      isBusy={derive.isPending}
      onSubmit={() => {
        const account = { ...accountParams(chain, 0), path: path ?? free, ...(name.trim() !== '' && { name: name.trim() }) };
        derive.mutate({ walletId, accounts: [account] });
      }}
      onClose={onClose}
    >
      <SelectField
        label={texts.chain}
        value={chainId}
        onChange={(id) => {
          setChainId(id);
          setPath(undefined);
        }}
        options={chains.map(({ id, name: label }) => ({ value: id, label }))}
      />
      <TextField label={texts.path} mono value={path ?? free} onChange={setPath} error={errors['accounts.0.path']} />
      <TextField label={texts.accountName} optional value={name} onChange={setName} error={errors['accounts.0.name']} />
    </FormDialog>
  );
}
