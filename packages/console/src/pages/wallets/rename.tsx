import { useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { useSubmit } from '../../data/submit.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { words } from '../../words/index.ts';

const texts = words.wallets;

export function RenameWallet({ walletId, name: current, onClose }: { walletId: string; name: string; onClose(): void }) {
  const [name, setName] = useState(current);
  const rename = useSubmit('updateWallet', { done: texts.renamed, onSent: onClose });
  return (
    <FormDialog
      title={texts.rename}
      action={words.common.save}
      isUnfinished={name.trim() === '' || name === current}
      isBusy={rename.isPending}
      onSubmit={() => rename.mutate({ walletId, walletName: name.trim() })}
      onClose={onClose}
    >
      <TextField label={words.common.name} value={name} onChange={setName} error={fieldErrors(rename.error).walletName} />
    </FormDialog>
  );
}
