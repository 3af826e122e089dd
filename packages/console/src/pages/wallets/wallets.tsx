import type { Client } from '@countersign/client';
import { Link, useNavigate, useRouterState } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { allWallets } from '../../data/lists.ts';
import { useMatchingPages } from '../../data/search-list.ts';
import { useSubmit } from '../../data/submit.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Name } from '../../ui/name.tsx';
import { Badge, Empty } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { TabbedPage } from '../../ui/tabbed-page.tsx';
import { When } from '../../ui/when.tsx';
import { words } from '../../words/index.ts';
import { FrozenMark } from '../freezes/freeze-button.tsx';
import { accountParams, chains } from './chains.ts';
import { ImportWallet } from './import.tsx';
import { ImportKey } from './import-key.tsx';
import { Keys } from './keys.tsx';

const texts = words.wallets;

/** Wallets and private keys. The address of the page names the tab, so that links open it. */
export function WalletsPage() {
  const navigate = useNavigate();
  const isKeys = useRouterState({ select: ({ location }) => (location.search as { readonly tab?: unknown }).tab === 'keys' });
  const setTab = (tab: keyof typeof texts.tabs) =>
    void navigate({ to: '/wallets', search: (tab === 'keys' ? { tab } : {}) as never, replace: true });
  const [isCreating, setCreating] = useState(false);
  const [isImporting, setImporting] = useState(false);
  return (
    <>
      <TabbedPage
        title={texts.title}
        lead={texts.lead}
        tabs={texts.tabs}
        tab={isKeys ? 'keys' : 'wallets'}
        onTab={setTab}
        actions={
          <>
            <ActionButton submits={isKeys ? 'initImportPrivateKey' : 'initImportWallet'} onClick={() => setImporting(true)}>
              {texts.importOpen}
            </ActionButton>
            <ActionButton
              submits={isKeys ? 'createPrivateKeys' : 'createWallet'}
              look="solid"
              icon="plus"
              onClick={() => setCreating(true)}
            >
              {isKeys ? texts.createKey : texts.create}
            </ActionButton>
          </>
        }
      >
        {isKeys ? <Keys isCreating={isCreating} setCreating={setCreating} /> : <Wallets open={() => setCreating(true)} />}
      </TabbedPage>
      {isImporting && !isKeys && <ImportWallet onClose={() => setImporting(false)} />}
      {isImporting && isKeys && <ImportKey onClose={() => setImporting(false)} />}
      {isCreating && !isKeys && <CreateWallet onClose={() => setCreating(false)} />}
    </>
  );
}

/** Lists of at least this length have a search field. */
const MANY = 9;

function Wallets({ open }: { open(): void }) {
  const [text, setText] = useState('');
  const { query, more } = useMatchingPages(allWallets, useDeferredValue(text));
  return (
    <QueryView query={query}>
      {(wallets) => {
        if (wallets.length === 0 && text === '') {
          return (
            <Empty icon="wallets" title={texts.empty.title} text={texts.empty.text}>
              <ActionButton submits="createWallet" look="solid" icon="plus" onClick={open}>
                {texts.create}
              </ActionButton>
            </Empty>
          );
        }
        return (
          <>
            {(wallets.length > MANY || text !== '') && (
              <div className="mb-3 max-w-sm">
                <TextField label={words.common.search} type="search" value={text} onChange={setText} search />
              </div>
            )}
            <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
              {wallets.map((wallet) => (
                <li key={wallet.walletId}>
                  <WalletCard wallet={wallet} />
                </li>
              ))}
            </ul>
            {wallets.length === 0 && <p className="card px-4 py-3 text-quiet">{words.common.nothingFound}</p>}
            {more !== undefined && (
              <div className="mt-3">
                <Button onClick={more}>{words.common.loadMore}</Button>
              </div>
            )}
          </>
        );
      }}
    </QueryView>
  );
}

type Wallet = Awaited<ReturnType<Client['listWallets']>>['wallets'][number];

function WalletCard({ wallet: { walletId, walletName, createdAt, imported, exported } }: { wallet: Wallet }) {
  return (
    <Link
      to="/wallets/$walletId"
      params={{ walletId }}
      className="card flex items-center gap-3 px-4 py-4 hover:border-line-strong"
    >
      <span className="inline-flex size-10 items-center justify-center rounded-xl bg-accent-soft text-accent">
        <Icon name="wallets" />
      </span>
      <span className="min-w-0 flex-1">
        <span className="block truncate font-semibold">
          <Name text={walletName} />
        </span>
        <span className="text-sm text-quiet">
          {words.common.created} <When at={createdAt} />
        </span>
      </span>
      <FrozenMark id={walletId} />
      {imported && <Badge>{texts.imported}</Badge>}
      {exported && <Badge tone="wait">{texts.exported}</Badge>}
    </Link>
  );
}

function CreateWallet({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(['ethereum']));
  const create = useSubmit('createWallet', { done: texts.made, onSent: onClose });
  const errors = fieldErrors(create.error);
  const toggle = (id: string, isOn: boolean) =>
    setChosen((all) => new Set(isOn ? [...all, id] : [...all].filter((each) => each !== id)));
  return (
    <FormDialog
      title={texts.createTitle}
      text={texts.createText}
      isUnfinished={name.trim() === ''}
      isBusy={create.isPending}
      onSubmit={() =>
        create.mutate({
          walletName: name.trim(),
          accounts: chains.filter(({ id }) => chosen.has(id)).map((chain) => accountParams(chain, 0)),
        })
      }
      onClose={onClose}
    >
      <TextField label={words.common.name} value={name} onChange={setName} error={errors.walletName} />
      <fieldset>
        <legend className="mb-2 text-sm font-medium">{texts.chains}</legend>
        <div className="grid gap-2 sm:grid-cols-2">
          {chains.map((chain) => (
            <CheckField
              key={chain.id}
              label={chain.name}
              checked={chosen.has(chain.id)}
              onChange={(isOn) => toggle(chain.id, isOn)}
            />
          ))}
        </div>
      </fieldset>
    </FormDialog>
  );
}
