import { useState } from 'react';
import { Empty, Loading } from '../../ui/page.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { ErrorMessage } from '../../ui/query-view.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { words } from '../../words/index.ts';
import { AccountField } from './account-field.tsx';
import { SignMessage } from './message.tsx';
import { SignTransaction } from './transaction.tsx';
import { useAccountList } from './use-account-list.ts';

const texts = words.sign;

/** Signs transactions and messages. Decodes pasted transactions immediately and simulates on request. */
export function SignPage() {
  const [tab, setTab] = useState('transaction');
  const list = useAccountList();
  const { account } = list;
  if (list.error) return <ErrorMessage error={list.error} />;
  if (list.isPending) return <Loading />;
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead} />
      {account === undefined ? (
        <Empty icon="sign" title={texts.noAccount.title} text={texts.noAccount.text} />
      ) : (
        <div className="grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-4">
          <AccountField label={texts.account} list={list} />
          <Tabs
            label={texts.title}
            value={tab}
            onChange={setTab}
            tabs={Object.entries(texts.tabs).map(([value, label]) => ({ value, label }))}
          />
          {tab === 'transaction' ? (
            <SignTransaction key={account.id} account={account} />
          ) : (
            <SignMessage key={account.id} account={account} />
          )}
        </div>
      )}
    </>
  );
}
