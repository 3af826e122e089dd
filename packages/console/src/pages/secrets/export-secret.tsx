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

const texts = words.secrets;

/** Shows the content of a secret after its name was typed. SECURITY: D981: closing the dialog removes it. */
export function ExportSecretContent({ secretId, name, onClose }: { secretId: string; name: string; onClose(): void }) {
  const session = useSession();
  const queries = useQueryClient();
  const [typed, setTyped] = useState('');
  const [isWaiting, setWaiting] = useState(false);
  const run = useMutation({
    mutationFn: async () => {
      const [writer, { exportSecretContent }] = await Promise.all([writerOf(session, queries), import('./transfer-secret.ts')]);
      return exportSecretContent(session, writer, secretId, () => setWaiting(true));
    },
    onSettled: () => refresh(queries),
    gcTime: 0,
  });
  const expected = escapeInvisible(name);
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
          <TextField label={words.common.typeToConfirm(expected)} value={typed} onChange={setTyped} />
          {isWaiting && <Notice tone="wait" title={texts.exportPending} />}
          {run.error && <ErrorMessage error={run.error} />}
          <Button type="submit" look="danger" icon="passkey" busy={run.isPending} disabled={typed !== expected}>
            {texts.export}
          </Button>
        </form>
      ) : (
        <Notice tone="wait" title={run.data.isHex ? texts.exportHex : texts.exportShown}>
          <p className="mt-1 flex items-start gap-2 font-mono">
            <span className="min-w-0 flex-1 break-all whitespace-pre-wrap">{escapeInvisible(run.data.text)}</span>
            <CopyButton text={run.data.text} what={texts.content} />
          </p>
        </Notice>
      )}
    </Dialog>
  );
}
