import { useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { useSubmit } from '../../data/submit.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { words } from '../../words/index.ts';

const said = words.wallets;

export function RenameWallet({ walletId, name: current, onClose }: { walletId: string; name: string; onClose(): void }) {
  const [name, setName] = useState(current);
  const rename = useSubmit('updateWallet', { done: said.renamed, onSent: onClose });
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={said.rename}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate({ walletId, walletName: name.trim() });
        }}
      >
        <TextField label={words.common.name} value={name} onChange={setName} error={fieldErrors(rename.error).walletName} />
        <Button
          type="submit"
          look="solid"
          icon="passkey"
          busy={rename.isPending}
          disabled={name.trim() === '' || name === current}
        >
          {words.common.save}
        </Button>
      </form>
    </Dialog>
  );
}
