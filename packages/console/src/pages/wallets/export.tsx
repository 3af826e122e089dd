import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { refresh } from '../../data/refresh.ts';
import { writerOf } from '../../data/submit.ts';
import { escapeInvisible } from '../../review/escape-invisible.ts';
import { useSession } from '../../session/context.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/page.tsx';
import { ErrorMessage } from '../../ui/query-view.tsx';
import { words } from '../../words/index.ts';
import type { Exported } from './transfer.ts';

const texts = words.wallets;

/** Shows the recovery phrase of a wallet, or a private key, after its name was typed. Closing the dialog removes it. */
export function ExportSecret({ what, name, onClose }: { what: Exported; name: string; onClose(): void }) {
  const session = useSession();
  const queries = useQueryClient();
  const [typed, setTyped] = useState('');
  const [isWaiting, setWaiting] = useState(false);
  const run = useMutation({
    mutationFn: async () => {
      const [writer, { exportSecret }] = await Promise.all([writerOf(session, queries), import('./transfer.ts')]);
      return exportSecret(session, writer, what, () => setWaiting(true));
    },
    onSettled: () => refresh(queries),
    gcTime: 0,
  });
  const kind = 'walletId' in what ? texts.exports.phrase : texts.exports.key;
  const expected = escapeInvisible(name);
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={kind.title} text={kind.text}>
      {run.data === undefined ? (
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            run.mutate();
          }}
        >
          <TextField label={words.common.typeToConfirm(expected)} value={typed} onChange={setTyped} />
          {isWaiting && <Notice tone="wait" title={texts.exportPending} />}
          {run.error && <ErrorMessage error={run.error} />}
          <Button type="submit" look="danger" icon="passkey" busy={run.isPending} disabled={typed !== expected}>
            {kind.action}
          </Button>
        </form>
      ) : (
        <Notice tone="wait" title={texts.exportShown}>
          <p className="mt-1 flex items-start gap-2 font-mono break-words">
            <span className={`min-w-0 flex-1 ${kind === texts.exports.key ? 'break-all' : 'break-words'}`}>{run.data}</span>
            <CopyButton text={run.data} what={kind.what} />
          </p>
        </Notice>
      )}
    </Dialog>
  );
}
