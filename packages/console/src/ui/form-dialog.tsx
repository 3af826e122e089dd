import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

export interface FormDialogProps {
  title: string;
  /** Whether something that must be there is still missing. */
  isUnfinished: boolean;
  isBusy: boolean;
  onSubmit(): void;
  onClose(): void;
  children: ReactNode;
}

/** A window with a form that makes something. A passkey stamps it, so the button says so. */
export function FormDialog({ title, isUnfinished, isBusy, onSubmit, onClose, children }: FormDialogProps) {
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={title}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
        <Button type="submit" look="solid" icon="passkey" busy={isBusy} disabled={isUnfinished}>
          {title}
        </Button>
      </form>
    </Dialog>
  );
}
