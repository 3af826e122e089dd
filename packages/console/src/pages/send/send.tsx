import { useState } from 'react';
import { usePages } from '../../data/service-query.ts';
import { SelectField } from '../../ui/field.tsx';
import { Empty, Loading, PageHead } from '../../ui/page.tsx';
import { ErrorMessage } from '../../ui/query-view.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { words } from '../../words/index.ts';
import { BatchForm } from './batch-form.tsx';
import { evmNetworks } from './networks.ts';
import { PaymentForm } from './payment-form.tsx';

const texts = words.send;

/** Payments on EVM chains. */
export function SendPage() {
  const [chosen, setChosen] = useState<string>();
  const [network, setNetwork] = useState('eip155:1');
  const [tab, setTab] = useState('one');
  const Form = tab === 'one' ? PaymentForm : BatchForm;
  const pages = usePages(
    'listWalletAccounts',
    { includeWalletDetails: true },
    (page) => page.accounts,
    ({ walletAccountId }) => walletAccountId,
    '100',
  );
  if (pages.error) return <ErrorMessage error={pages.error} />;
  if (pages.isPending) return <Loading />;
  const accounts = pages.items.filter(({ addressFormat }) => addressFormat === 'ADDRESS_FORMAT_ETHEREUM');
  const account = accounts.find(({ walletAccountId }) => walletAccountId === chosen) ?? accounts[0];
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead} />
      {account === undefined ? (
        <Empty icon="send" title={texts.noAccount.title} text={texts.noAccount.text} />
      ) : (
        <div className="grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-4">
          <SelectField
            label={texts.account}
            value={account.walletAccountId}
            onChange={setChosen}
            options={accounts.map(({ walletAccountId, address, walletDetails }) => ({
              value: walletAccountId,
              label: `${walletDetails?.walletName ?? ''} · ${address}`,
            }))}
          />
          <SelectField label={texts.network} value={network} onChange={setNetwork} options={evmNetworks} />
          <Tabs
            label={texts.title}
            value={tab}
            onChange={setTab}
            tabs={Object.entries(texts.tabs).map(([value, label]) => ({ value, label }))}
          />
          <Form key={`${account.walletAccountId} ${network}`} account={account} network={network} />
        </div>
      )}
    </>
  );
}
