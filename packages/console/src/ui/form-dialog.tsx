import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

export interface FormDialogProps {
  title: string;
  text?: string;
  /** What the button says, where that is not the title. */
  action?: string;
  /** Whether something that must be there is still missing. */
  isUnfinished: boolean;
  isBusy: boolean;
  onSubmit(): void;
  onClose(): void;
  children: ReactNode;
}

/** A window with a form that makes or changes something. A passkey stamps it, so the button says so. */
export function FormDialog({ title, text, action = title, isUnfinished, isBusy, onSubmit, onClose, children }: FormDialogProps) {
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={title} {...(text !== undefined && { text })}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
        <Button type="submit" look="solid" icon="passkey" busy={isBusy} disabled={isUnfinished}>
          {action}
        </Button>
      </form>
    </Dialog>
  );
}
