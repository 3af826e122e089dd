import { useState } from 'react';
import { usePages } from '../../data/service-query.ts';
import { SelectField } from '../../ui/field.tsx';
import { Empty, Loading, PageHead } from '../../ui/page.tsx';
import { ErrorMessage } from '../../ui/query-view.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { words } from '../../words/index.ts';
import { chainName } from '../wallets/chains.ts';
import { BatchForm } from './batch-form.tsx';
import { networkLabel } from './networks.ts';
import { networksOfFormat } from './payment-chains.ts';
import { PaymentForm } from './payment-form.tsx';

const texts = words.send;

/** Payments of the accounts that have a chain. */
export function SendPage() {
  const [chosen, setChosen] = useState<string>();
  const [wanted, setWanted] = useState('eip155:1');
  const [tab, setTab] = useState('one');
  const pages = usePages(
    'listWalletAccounts',
    { includeWalletDetails: true },
    (page) => page.accounts,
    ({ walletAccountId }) => walletAccountId,
    '100',
  );
  if (pages.error) return <ErrorMessage error={pages.error} />;
  if (pages.isPending) return <Loading />;
  const accounts = pages.items.filter(({ addressFormat }) => networksOfFormat(addressFormat).length > 0);
  const account = accounts.find(({ walletAccountId }) => walletAccountId === chosen) ?? accounts[0];
  const networks = account === undefined ? [] : networksOfFormat(account.addressFormat);
  const network = networks.find((each) => each === wanted) ?? networks[0];
  // Rows of a file are payments on EVM chains.
  const hasFiles = network?.startsWith('eip155:') === true;
  const Form = tab === 'one' || !hasFiles ? PaymentForm : BatchForm;
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead} />
      {account === undefined || network === undefined ? (
        <Empty icon="send" title={texts.noAccount.title} text={texts.noAccount.text} />
      ) : (
        <div className="grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-4">
          <SelectField
            label={texts.account}
            value={account.walletAccountId}
            onChange={setChosen}
            options={accounts.map(({ walletAccountId, address, addressFormat, walletDetails }) => ({
              value: walletAccountId,
              label: `${walletDetails?.walletName ?? ''} · ${chainName(addressFormat)} · ${address}`,
            }))}
          />
          <SelectField
            label={texts.network}
            value={network}
            onChange={setWanted}
            options={networks.map((value) => ({ value, label: networkLabel(value) }))}
          />
          {hasFiles && (
            <Tabs
              label={texts.title}
              value={tab}
              onChange={setTab}
              tabs={Object.entries(texts.tabs).map(([value, label]) => ({ value, label }))}
            />
          )}
          <Form key={`${account.walletAccountId} ${network}`} account={account} network={network} />
        </div>
      )}
    </>
  );
}
