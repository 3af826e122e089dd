import { useState } from 'react';
import { usePages } from '../../data/service-query.ts';
import { SelectField } from '../../ui/field.tsx';
import { Empty, Loading, PageHead } from '../../ui/page.tsx';
import { ErrorMessage } from '../../ui/query-view.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { words } from '../../words/index.ts';
import { chainName } from '../wallets/chains.ts';
import { SignMessage } from './message.tsx';
import { SignTransaction } from './transaction.tsx';

const texts = words.sign;

/** Signs transactions and messages. Decodes pasted transactions immediately and simulates on request. */
export function SignPage() {
  const [tab, setTab] = useState('transaction');
  const pages = usePages(
    'listWalletAccounts',
    { includeWalletDetails: true },
    (page) => page.accounts,
    ({ walletAccountId }) => walletAccountId,
    '100',
  );
  const [chosen, setChosen] = useState<string>();
  if (pages.error) return <ErrorMessage error={pages.error} />;
  if (pages.isPending) return <Loading />;
  const account = pages.items.find(({ walletAccountId }) => walletAccountId === chosen) ?? pages.items[0];
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead} />
      {account === undefined ? (
        <Empty icon="sign" title={texts.noAccount.title} text={texts.noAccount.text} />
      ) : (
        <div className="grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-4">
          <SelectField
            label={texts.account}
            value={account.walletAccountId}
            onChange={setChosen}
            options={pages.items.map(({ walletAccountId, address, addressFormat, walletDetails }) => ({
              value: walletAccountId,
              label: `${walletDetails?.walletName ?? ''} · ${chainName(addressFormat)} · ${address}`,
            }))}
          />
          <Tabs
            label={texts.title}
            value={tab}
            onChange={setTab}
            tabs={Object.entries(texts.tabs).map(([value, label]) => ({ value, label }))}
          />
          {tab === 'transaction' ? (
            <SignTransaction key={account.walletAccountId} account={account} />
          ) : (
            <SignMessage key={account.walletAccountId} account={account} />
          )}
        </div>
      )}
    </>
  );
}
