import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react';
import { words } from '../words/index.ts';
import { IconButton } from './button.tsx';
import { Icon } from './icon.tsx';
import { Name } from './name.tsx';

type Tone = 'good' | 'bad' | 'wait';

interface Toast {
  readonly id: number;
  readonly tone: Tone;
  readonly text: string;
  readonly action?: ToastAction | undefined;
}

/** Link or undo action of a message. */
export type ToastAction = { readonly label: string } & ({ readonly href: string } | { run(): void });

type ShowToast = (tone: Tone, text: string, action?: ToastAction) => void;

const ToastContext = createContext<ShowToast>(() => undefined);

/** Returns a function that shows a message. */
export function useToast(): ShowToast {
  return useContext(ToastContext);
}

const STAYS_MS = 8000;
/** Messages with an undo button stay longer. */
const STAYS_WITH_UNDO_MS = 20_000;
const tones = { good: 'text-good', bad: 'text-bad', wait: 'text-wait' } as const;
const icons = { good: 'check', bad: 'warning', wait: 'clock' } as const;
const actionLook = 'font-medium text-accent underline underline-offset-2';
let made = 0;

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const drop = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), []);
  const showToast = useCallback<ShowToast>(
    (tone, text, action) => {
      const id = ++made;
      setToasts((all) => [...all.slice(-2), { id, tone, text, action }]);
      setTimeout(() => drop(id), action !== undefined && 'run' in action ? STAYS_WITH_UNDO_MS : STAYS_MS);
    },
    [drop],
  );
  const shown = useMemo(
    () =>
      toasts.map(({ id, tone, text, action }) => (
        <div
          key={id}
          className="rise pointer-events-auto flex items-start gap-3 rounded-xl border border-line bg-raised py-2.5 pe-2 ps-4 shadow-[0_8px_30px_var(--shadow)]"
        >
          <span className={`pt-0.5 ${tones[tone]}`}>
            <Icon name={icons[tone]} />
          </span>
          <span className="min-w-0 flex-1 self-center break-words">
            <Name text={text} />{' '}
            {action && 'href' in action && (
              <a href={action.href} className={actionLook}>
                {action.label}
              </a>
            )}
            {action && 'run' in action && (
              <button
                type="button"
                data-undo=""
                className={actionLook}
                onClick={() => {
                  drop(id);
                  action.run();
                }}
              >
                {action.label}
              </button>
            )}
          </span>
          <IconButton icon="cross" label={words.common.dismiss} onClick={() => drop(id)} />
        </div>
      )),
    [toasts, drop],
  );
  return (
    <ToastContext.Provider value={showToast}>
      {children}
      <section
        aria-label={words.common.notifications}
        aria-live="polite"
        className="pointer-events-none fixed inset-x-4 bottom-20 z-50 flex flex-col gap-2 md:inset-x-auto md:end-6 md:bottom-6 md:w-96"
      >
        {shown}
      </section>
    </ToastContext.Provider>
  );
}
