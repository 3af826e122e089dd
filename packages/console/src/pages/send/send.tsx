import { useState } from 'react';
import { SelectField } from '../../ui/field.tsx';
import { Empty, Loading } from '../../ui/page.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { ErrorMessage } from '../../ui/query-view.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { words } from '../../words/index.ts';
import { AccountField } from '../sign/account-field.tsx';
import { type AccountList, useAccountList } from '../sign/use-account-list.ts';
import { BatchForm } from './batch-form.tsx';
import { networkLabel } from './networks.ts';
import { networksOfFormat } from './payment-chains.ts';
import { PaymentForm } from './payment-form.tsx';

const texts = words.send;

/** Payments of the accounts that have a chain. */
export function SendPage() {
  const [wanted, setWanted] = useState('eip155:1');
  const [tab, setTab] = useState('one');
  const list = useAccountList(({ addressFormat }) => networksOfFormat(addressFormat).length > 0);
  const { account } = list;
  if (list.error) return <ErrorMessage error={list.error} />;
  if (list.isPending) return <Loading />;
  const networks = account === undefined ? [] : networksOfFormat(account.addressFormat);
  const network = networks.find((each) => each === wanted) ?? networks[0];
  // Rows of a file are payments on EVM chains.
  const hasFiles = network?.startsWith('eip155:') === true;
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead} />
      {account === undefined || network === undefined ? (
        <NoAccount list={list} />
      ) : (
        <div className="grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-4">
          <AccountField label={texts.account} list={list} />
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
          {tab === 'one' || !hasFiles ? (
            <PaymentForm account={account} network={network} />
          ) : (
            <BatchForm key={`${account.id} ${network}`} account={account} network={network} />
          )}
        </div>
      )}
    </>
  );
}

/** Nothing to choose among the newest accounts. */
function NoAccount({ list }: { list: AccountList }) {
  if (list.hasMore) return <AccountField label={texts.account} list={list} />;
  return <Empty icon="send" title={texts.noAccount.title} text={texts.noAccount.text} />;
}
