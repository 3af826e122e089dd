import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

export interface FormDialogProps {
  title: string;
  text?: string;
  /** Label of the button, by default the title. */
  action?: string;
  /** Whether a required field is missing. */
  isUnfinished: boolean;
  isBusy: boolean;
  onSubmit(): void;
  onClose(): void;
  children: ReactNode;
}

/** A dialog with a form. A passkey stamps the request. */
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
