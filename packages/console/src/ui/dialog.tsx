import * as Radix from '@radix-ui/react-dialog';
import { type ReactNode, useRef } from 'react';
import { words } from '../words/index.ts';
import { IconButton } from './button.tsx';
import { Name } from './name.tsx';

export interface DialogProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  title: string;
  text?: ReactNode;
  wide?: boolean;
  children?: ReactNode;
}

/** Focuses the first field instead of the button that closes the dialog. A dialog without fields keeps the default. */
function focusFirstField(event: Event): void {
  const fields =
    'input:not([type=hidden]):not(:disabled), select:not(:disabled), textarea:not(:disabled), [contenteditable=true]';
  const field = (event.currentTarget as HTMLElement | null)?.querySelector<HTMLElement>(fields);
  if (!field) return;
  event.preventDefault();
  field.focus();
}

/** Returns the focus to where it was, or to the content if that is gone: a row that was removed, or a button that turned into another. */
function returnFocus(event: Event, opener: Element | null): void {
  event.preventDefault();
  const isUsable = opener instanceof HTMLElement && opener.isConnected && opener !== document.body;
  const target = isUsable && !opener.matches(':disabled') ? opener : document.getElementById('content');
  target?.focus({ preventScroll: true });
}

/**
 * A modal dialog; a bottom sheet on phones. Traps the focus and returns it. Radix alone returns it only to a trigger of its own.
 * Uses its own backdrop: that of Radix adds a style element, which the Content-Security-Policy forbids.
 */
export function Dialog({ open, onOpenChange, title, text, wide = false, children }: DialogProps) {
  const opener = useRef<Element>(null);
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <div aria-hidden="true" className="fixed inset-0 z-40 bg-[rgb(10_12_11/0.45)]" />
        <Radix.Content
          {...(text === undefined && { 'aria-describedby': undefined })}
          onOpenAutoFocus={(event) => {
            opener.current = document.activeElement;
            focusFirstField(event);
          }}
          onCloseAutoFocus={(event) => returnFocus(event, opener.current)}
          className={`rise fixed z-50 flex max-h-[92dvh] flex-col overflow-hidden border border-line bg-raised shadow-[0_20px_60px_var(--shadow)] outline-none max-md:inset-x-0 max-md:bottom-0 max-md:rounded-t-2xl md:top-[12vh] md:left-1/2 md:max-h-[80vh] md:w-[calc(100%-3rem)] md:-translate-x-1/2 md:rounded-2xl ${wide ? 'md:max-w-3xl' : 'md:max-w-lg'}`}
        >
          <header className="flex items-start justify-between gap-4 px-5 pt-4 pb-2">
            <Radix.Title className="min-w-0 text-xl font-semibold break-words">
              <Name text={title} />
            </Radix.Title>
            <Radix.Close asChild>
              <IconButton icon="cross" label={words.common.close} />
            </Radix.Close>
          </header>
          <div className="overflow-y-auto px-5 pb-5">
            {text !== undefined && (
              <Radix.Description className="mb-4 text-quiet">
                {typeof text === 'string' ? <Name text={text} /> : text}
              </Radix.Description>
            )}
            {children}
          </div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
