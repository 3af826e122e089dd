import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { refresh } from '../../data/refresh.ts';
import { writerOf } from '../../data/submit.ts';
import { useSession } from '../../session/context.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/page.tsx';
import { ErrorMessage } from '../../ui/query-view.tsx';
import { words } from '../../words/index.ts';

const texts = words.wallets;

/** Shows the recovery phrase of a wallet after its name was typed. Closing the dialog removes it. */
export function ExportWallet({ walletId, name, onClose }: { walletId: string; name: string; onClose(): void }) {
  const session = useSession();
  const queries = useQueryClient();
  const [typed, setTyped] = useState('');
  const [isWaiting, setWaiting] = useState(false);
  const run = useMutation({
    mutationFn: async () => {
      const [writer, { exportPhrase }] = await Promise.all([writerOf(session, queries), import('./transfer.ts')]);
      return exportPhrase(session, writer, walletId, () => setWaiting(true));
    },
    onSettled: () => refresh(queries),
    gcTime: 0,
  });
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={texts.exportTitle} text={texts.exportText}>
      {run.data === undefined ? (
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            run.mutate();
          }}
        >
          <TextField label={words.common.typeToConfirm(name)} value={typed} onChange={setTyped} />
          {isWaiting && <Notice tone="wait" title={texts.exportPending} />}
          {run.error && <ErrorMessage error={run.error} />}
          <Button type="submit" look="danger" icon="passkey" busy={run.isPending} disabled={typed !== name}>
            {texts.exportAction}
          </Button>
        </form>
      ) : (
        <Notice tone="wait" title={texts.exportShown}>
          <p className="mt-1 flex items-start gap-2 font-mono break-words">
            <span className="min-w-0 flex-1">{run.data}</span>
            <CopyButton text={run.data} what={texts.phrase} />
          </p>
        </Notice>
      )}
    </Dialog>
  );
}
