import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { refresh } from '../../data/refresh.ts';
import { writerOf } from '../../data/submit.ts';
import { useSession } from '../../session/context.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Notice } from '../../ui/page.tsx';
import { ErrorMessage } from '../../ui/query-view.tsx';
import { useToast } from '../../ui/toast.tsx';
import { words } from '../../words/index.ts';

const texts = words.wallets;

/** Imports a wallet from its recovery phrase. The passkey is used twice: to request an encryption key, and to send the phrase. */
export function ImportWallet({ onClose }: { onClose(): void }) {
  const session = useSession();
  const queries = useQueryClient();
  const showToast = useToast();
  const [name, setName] = useState('');
  const [phrase, setPhrase] = useState('');
  const [isWaiting, setWaiting] = useState(false);
  const run = useMutation({
    mutationFn: async () => {
      const [writer, { importPhrase }] = await Promise.all([writerOf(session, queries), import('./transfer.ts')]);
      return importPhrase(session, writer, { name: name.trim(), phrase }, () => setWaiting(true));
    },
    onSuccess(isCompleted) {
      showToast(isCompleted ? 'good' : 'wait', isCompleted ? texts.importDone : texts.importPending);
      onClose();
    },
    onSettled: () => {
      setWaiting(false);
      return refresh(queries);
    },
  });
  return (
    <FormDialog
      title={texts.importTitle}
      text={texts.importText}
      action={texts.importAction}
      isUnfinished={name.trim() === '' || phrase.trim().split(/\s+/).length < 12}
      isBusy={run.isPending}
      onSubmit={() => run.mutate()}
      onClose={onClose}
    >
      <TextField label={words.common.name} value={name} onChange={setName} />
      <TextArea label={texts.phrase} hint={texts.phraseHint} rows={3} value={phrase} onChange={setPhrase} />
      {isWaiting && <Notice tone="wait" title={texts.targetPending} />}
      {run.error && <ErrorMessage error={run.error} />}
    </FormDialog>
  );
}
