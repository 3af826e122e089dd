import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { refresh } from '../../data/refresh.ts';
import { writerOf } from '../../data/submit.ts';
import { useSession } from '../../session/context.tsx';
import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Notice } from '../../ui/page.tsx';
import { ErrorMessage } from '../../ui/query-view.tsx';
import { useToast } from '../../ui/toast.tsx';
import { words } from '../../words/index.ts';
import { chains } from './chains.ts';

const texts = words.wallets;

/** Imports a private key. The passkey is used twice: to request an encryption key, and to send the private key. */
export function ImportKey({ onClose }: { onClose(): void }) {
  const session = useSession();
  const queries = useQueryClient();
  const showToast = useToast();
  const [name, setName] = useState('');
  const [chainId, setChainId] = useState<string>('ethereum');
  const [typed, setTyped] = useState('');
  const hex = typed.trim().replace(/^0x/, '').toLowerCase();
  const isWhole = /^[0-9a-f]{64}$/.test(hex);
  const [isWaiting, setWaiting] = useState(false);
  const run = useMutation({
    mutationFn: async () => {
      const [writer, { importKey }] = await Promise.all([writerOf(session, queries), import('./transfer.ts')]);
      const chain = chains.find(({ id }) => id === chainId) ?? chains[0];
      return importKey(session, writer, { name: name.trim(), hex, chain }, () => setWaiting(true));
    },
    onSuccess(isCompleted) {
      showToast(isCompleted ? 'good' : 'wait', isCompleted ? texts.importKeyDone : texts.importPending);
      onClose();
    },
    onSettled: () => {
      setWaiting(false);
      return refresh(queries);
    },
  });
  return (
    <FormDialog
      title={texts.importKeyTitle}
      text={texts.importText}
      action={texts.importAction}
      isUnfinished={name.trim() === '' || !isWhole}
      isBusy={run.isPending}
      onSubmit={() => run.mutate()}
      onClose={onClose}
    >
      <TextField label={words.common.name} value={name} onChange={setName} />
      <SelectField
        label={texts.chain}
        value={chainId}
        onChange={setChainId}
        options={chains.map(({ id, name: label }) => ({ value: id, label }))}
      />
      <TextArea
        label={texts.privateKey}
        hint={texts.privateKeyHint}
        rows={2}
        mono
        value={typed}
        onChange={setTyped}
        error={typed.trim() === '' || isWhole ? undefined : texts.privateKeyWrong}
      />
      {isWaiting && <Notice tone="wait" title={texts.targetPending} />}
      {run.error && <ErrorMessage error={run.error} />}
    </FormDialog>
  );
}
