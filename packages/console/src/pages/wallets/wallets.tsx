import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAsk } from '../../data/ask.ts';
import { fieldErrors } from '../../data/errors.ts';
import { useSubmit } from '../../data/submit.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Answer } from '../../ui/fault.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Badge, Empty, PageHead } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { When } from '../../ui/when.tsx';
import { words } from '../../words/index.ts';
import { accountParams, chains } from './chains.ts';
import { ImportWallet } from './import.tsx';
import { Keys } from './keys.tsx';

const said = words.wallets;

export function WalletsPage() {
  const [tab, setTab] = useState('wallets');
  const [isCreating, setCreating] = useState(false);
  const [isImporting, setImporting] = useState(false);
  const isKeys = tab === 'keys';
  return (
    <>
      <PageHead title={said.title} lead={said.lead}>
        {!isKeys && <Button onClick={() => setImporting(true)}>{said.importOpen}</Button>}
        <Button look="solid" icon="plus" onClick={() => setCreating(true)}>
          {isKeys ? said.createKey : said.create}
        </Button>
      </PageHead>
      <div className="max-w-sm">
        <Tabs
          label={said.title}
          value={tab}
          onChange={setTab}
          tabs={Object.entries(said.tabs).map(([value, label]) => ({ value, label }))}
        />
      </div>
      {isKeys ? <Keys isCreating={isCreating} setCreating={setCreating} /> : <Wallets open={() => setCreating(true)} />}
      {isImporting && <ImportWallet onClose={() => setImporting(false)} />}
      {isCreating && !isKeys && <CreateWallet onClose={() => setCreating(false)} />}
    </>
  );
}

function Wallets({ open }: { open(): void }) {
  const query = useAsk('listWallets', {});
  return (
    <Answer query={query}>
      {({ wallets }) =>
        wallets.length === 0 ? (
          <Empty icon="wallets" title={said.empty.title} text={said.empty.text}>
            <Button look="solid" icon="plus" onClick={open}>
              {said.create}
            </Button>
          </Empty>
        ) : (
          <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
            {[...wallets].reverse().map(({ walletId, walletName, createdAt, imported, exported }) => (
              <li key={walletId}>
                <Link
                  to="/wallets/$walletId"
                  params={{ walletId }}
                  className="card flex items-center gap-3 px-4 py-4 hover:border-line-strong"
                >
                  <span className="inline-flex size-10 items-center justify-center rounded-xl bg-accent-soft text-accent">
                    <Icon name="wallets" />
                  </span>
                  <span className="min-w-0 flex-1">
                    <span className="block truncate font-semibold">{walletName}</span>
                    <span className="text-sm text-quiet">
                      {words.common.created} <When at={createdAt} />
                    </span>
                  </span>
                  {imported && <Badge>{said.imported}</Badge>}
                  {exported && <Badge tone="wait">{said.exported}</Badge>}
                </Link>
              </li>
            ))}
          </ul>
        )
      }
    </Answer>
  );
}

function CreateWallet({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(['ethereum']));
  const create = useSubmit('createWallet', { done: said.made, onSent: onClose });
  const errors = fieldErrors(create.error);
  const toggle = (id: string, isOn: boolean) =>
    setChosen((all) => new Set(isOn ? [...all, id] : [...all].filter((each) => each !== id)));
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={said.createTitle} text={said.createText}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate({
            walletName: name.trim(),
            accounts: chains.filter(({ id }) => chosen.has(id)).map((chain) => accountParams(chain, 0)),
          });
        }}
      >
        <TextField label={words.common.name} value={name} onChange={setName} error={errors.walletName} />
        <fieldset>
          <legend className="mb-2 text-sm font-medium">{said.chains}</legend>
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
        <Button type="submit" look="solid" icon="passkey" busy={create.isPending} disabled={name.trim() === ''}>
          {said.create}
        </Button>
      </form>
    </Dialog>
  );
}
