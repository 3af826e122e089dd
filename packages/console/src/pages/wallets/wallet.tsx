import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { usePages, useServiceQuery } from '../../data/service-query.ts';
import { useSubmit } from '../../data/submit.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { BackLink } from '../../ui/back-link.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Code } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Name } from '../../ui/name.tsx';
import { Empty, Loading, Section } from '../../ui/page.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Qr } from '../../ui/qr.tsx';
import { ErrorMessage, QueryView } from '../../ui/query-view.tsx';
import { words } from '../../words/index.ts';
import { FreezeButton, FrozenMark } from '../freezes/freeze-button.tsx';
import { chainName } from './chains.ts';
import { DeriveAccount } from './derive.tsx';
import { ExportSecret } from './export.tsx';
import { History } from './history.tsx';
import { historyNetworks } from './history-networks.ts';
import { RenameWallet } from './rename.tsx';

const texts = words.wallets;

/** One wallet with its accounts. */
export function WalletPage() {
  const { walletId = '' } = useParams({ strict: false });
  const navigate = useNavigate();
  const query = useServiceQuery('getWallet', { walletId });
  const [dialog, setDialog] = useState<'derive' | 'rename' | 'export' | 'remove'>();
  const close = () => setDialog(undefined);
  const remove = useSubmit('deleteWallets', {
    done: words.common.completed,
    onSent: close,
    onDone: () => void navigate({ to: '/wallets' }),
  });
  return (
    <>
      <BackLink to="/wallets" title={texts.title} />
      <QueryView query={query}>
        {({ wallet }) => (
          <>
            <PageHead title={wallet.walletName} lead={<WalletLead walletId={walletId} />}>
              <ActionButton submits="exportWallet" onClick={() => setDialog('export')}>
                {texts.exportOpen}
              </ActionButton>
              <ActionButton submits="updateWallet" onClick={() => setDialog('rename')}>
                {texts.rename}
              </ActionButton>
              <ActionButton submits="createWalletAccounts" look="solid" icon="plus" onClick={() => setDialog('derive')}>
                {texts.derive}
              </ActionButton>
            </PageHead>
            <Accounts walletId={walletId} />
            <div className="flex flex-wrap gap-2 border-t border-line pt-4">
              <FreezeButton target={{ walletIds: [walletId] }} name={wallet.walletName} />
              <ActionButton submits="deleteWallets" look="dangerPlain" onClick={() => setDialog('remove')}>
                {texts.remove}
              </ActionButton>
            </div>
            {dialog === 'derive' && <DeriveAccount walletId={walletId} onClose={close} />}
            {dialog === 'rename' && <RenameWallet walletId={walletId} name={wallet.walletName} onClose={close} />}
            {dialog === 'export' && <ExportSecret what={{ walletId }} name={wallet.walletName} onClose={close} />}
            {dialog === 'remove' && (
              <Confirm
                title={texts.removeTitle}
                text={`${texts.removeText} ${words.common.cannotUndo}`}
                word={wallet.walletName}
                action={texts.remove}
                busy={remove.isPending}
                onConfirm={() => remove.mutate({ walletIds: [walletId], deleteWithoutExport: true })}
                onClose={close}
              />
            )}
          </>
        )}
      </QueryView>
    </>
  );
}

function WalletLead({ walletId }: { walletId: string }) {
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Code text={walletId} what={words.common.id} />
      <FrozenMark id={walletId} />
    </span>
  );
}

function Accounts({ walletId }: { walletId: string }) {
  const pages = usePages(
    'listWalletAccounts',
    { walletId },
    (page) => page.accounts,
    ({ walletAccountId }) => walletAccountId,
  );
  const [qr, setQr] = useState<string>();
  const [exporting, setExporting] = useState<string>();
  const [past, setPast] = useState<{ readonly address: string; readonly addressFormat: string }>();
  if (pages.error) return <ErrorMessage error={pages.error} />;
  if (pages.isPending) return <Loading />;
  return (
    <Section title={texts.accounts}>
      {pages.items.length === 0 ? (
        <Empty icon="key" title={texts.accountsEmpty.title} text={texts.accountsEmpty.text} />
      ) : (
        <ul className="card divide-y divide-line">
          {pages.items.map(({ walletAccountId, address, addressFormat, path, name }) => (
            <li key={walletAccountId} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3">
              <span className="min-w-0 flex-1 basis-72">
                <span className="flex flex-wrap items-baseline gap-x-2">
                  <span className="font-medium">
                    <Name text={name ?? chainName(addressFormat)} />
                  </span>
                  <span className="font-mono text-xs text-quiet">{path}</span>
                </span>
                <Code text={address} what={texts.address} />
              </span>
              <ActionButton submits="exportWalletAccount" look="quiet" onClick={() => setExporting(address)}>
                {texts.exportOpen}
              </ActionButton>
              {historyNetworks(addressFormat).length > 0 && (
                <Button look="quiet" onClick={() => setPast({ address, addressFormat })}>
                  {texts.history.open}
                </Button>
              )}
              <IconButton icon="qr" label={texts.showQr} onClick={() => setQr(address)} />
            </li>
          ))}
        </ul>
      )}
      {pages.hasMore && (
        <div className="mt-3">
          <Button onClick={() => void pages.fetchNextPage()}>{words.common.loadMore}</Button>
        </div>
      )}
      {exporting !== undefined && (
        <ExportSecret what={{ address: exporting }} name={exporting} onClose={() => setExporting(undefined)} />
      )}
      {past !== undefined && <History {...past} onClose={() => setPast(undefined)} />}
      {qr !== undefined && (
        <Dialog open onOpenChange={() => setQr(undefined)} title={texts.address}>
          <div className="grid justify-items-center gap-4">
            <Qr text={qr} label={texts.qrOf(qr)} />
            <Code text={qr} what={texts.address} />
          </div>
        </Dialog>
      )}
    </Section>
  );
}
