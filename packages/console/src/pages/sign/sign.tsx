import { useState } from 'react';
import { usePages } from '../../data/ask.ts';
import { Fault } from '../../ui/fault.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Empty, Loading, PageHead } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { words } from '../../words/index.ts';
import { chainName } from '../wallets/chains.ts';
import { MessageBench } from './message.tsx';
import { TransactionBench } from './transaction.tsx';

const said = words.sign;

/** A bench to sign at: what is pasted is read at once, and judged on request. */
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
  if (pages.error) return <Fault error={pages.error} />;
  if (pages.isPending) return <Loading />;
  const account = pages.items.find(({ walletAccountId }) => walletAccountId === chosen) ?? pages.items[0];
  return (
    <>
      <PageHead title={said.title} lead={said.lead} />
      {account === undefined ? (
        <Empty icon="sign" title={said.noAccount.title} text={said.noAccount.text} />
      ) : (
        <div className="grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-4">
          <SelectField
            label={said.account}
            value={account.walletAccountId}
            onChange={setChosen}
            options={pages.items.map(({ walletAccountId, address, addressFormat, walletDetails }) => ({
              value: walletAccountId,
              label: `${walletDetails?.walletName ?? ''} · ${chainName(addressFormat)} · ${address}`,
            }))}
          />
          <Tabs
            label={said.title}
            value={tab}
            onChange={setTab}
            tabs={Object.entries(said.tabs).map(([value, label]) => ({ value, label }))}
          />
          {tab === 'transaction' ? (
            <TransactionBench key={account.walletAccountId} account={account} />
          ) : (
            <MessageBench key={account.walletAccountId} account={account} />
          )}
        </div>
      )}
    </>
  );
}
