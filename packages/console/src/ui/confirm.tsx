import { type ReactNode, useState } from 'react';
import { escapeInvisible } from '../review/escape-invisible.ts';
import { words } from '../words/index.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './field.tsx';

export interface ConfirmProps {
  title: string;
  text: ReactNode;
  action: string;
  /** Text to type before an action that cannot be undone. */
  word?: string;
  busy?: boolean;
  onConfirm(): void;
  onClose(): void;
}

/** Confirmation of an action that cannot be undone. */
export function Confirm({ title, text, action, word, busy = false, onConfirm, onClose }: ConfirmProps) {
  const [typed, setTyped] = useState('');
  // Invisible characters are typed in their escaped form.
  const expected = word === undefined ? undefined : escapeInvisible(word);
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={title} text={text}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          onConfirm();
        }}
      >
        {expected !== undefined && (
          <TextField label={words.common.typeToConfirm(expected)} value={typed} onChange={setTyped} autoComplete="off" />
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{words.common.cancel}</Button>
          <Button type="submit" look="danger" busy={busy} disabled={expected !== undefined && typed !== expected}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
