import { type CSSProperties, type FocusEvent, type MouseEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useDenied } from '../data/denials.ts';
import type { SubmittedName } from '../data/submitted-name.ts';
import { Button, type ButtonProps } from './button.tsx';
import { Notice } from './page.tsx';

interface ActionButtonProps extends ButtonProps {
  /** The activity that the button submits, or that the dialog it opens submits. */
  submits: SubmittedName;
  /** The user whose credentials or sessions it is about. One's own need no policy. */
  of?: string;
  /** Show the reason below the button at all times, for buttons of a form. */
  explained?: boolean;
}

/**
 * A button that leads to an activity. If the service denies every such activity of this person, the button stays focusable and says why:
 * at all times, or while it is focused, hovered or after a tap. A press then asks the service again, because policies may have changed.
 */
export function ActionButton({ submits, of, explained = false, busy = false, disabled, onClick, ...button }: ActionButtonProps) {
  const id = useId();
  const { reason, askAgain } = useDenied(submits, of);
  const [anchor, setAnchor] = useState<Element>();
  const isDenied = reason !== undefined;
  const hide = () => setAnchor(undefined);
  const show = ({ currentTarget }: FocusEvent | MouseEvent) => setAnchor(currentTarget.querySelector('button') ?? undefined);
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    if (!isDenied) return onClick?.(event);
    // Also keeps Enter in a field from submitting the form.
    event.preventDefault();
    setAnchor(event.currentTarget);
    askAgain();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button is the control. The group keeps the reason while the pointer is on it.
    <span className="contents" onMouseEnter={show} onMouseLeave={hide} onFocus={show} onBlur={hide}>
      <Button
        {...button}
        busy={!isDenied && busy}
        disabled={!isDenied && disabled}
        aria-disabled={isDenied || undefined}
        aria-describedby={isDenied ? id : undefined}
        onClick={press}
      />
      {isDenied && (
        <span id={id} hidden={!explained} className="col-span-full mt-2 block basis-full text-sm text-quiet">
          {reason}
        </span>
      )}
      {isDenied && !explained && anchor !== undefined && <Reason text={reason} anchor={anchor} onHide={hide} />}
    </span>
  );
}

const GAP = 8;
/** Above the button if less than this is left below it. */
const ROOM = 120;

function placeAt(anchor: Element, width: number): CSSProperties {
  const { left, top, bottom } = anchor.getBoundingClientRect();
  const most = document.documentElement.clientWidth - width - GAP;
  const isBelow = bottom + ROOM < window.innerHeight;
  return { left: Math.max(GAP, Math.min(left, most)), ...(isBelow ? { top: bottom } : { bottom: window.innerHeight - top }) };
}

/** The reason next to a button, over everything else, so that no list cuts it. */
function Reason({ text, anchor, onHide }: { text: string; anchor: Element; onHide(): void }) {
  const box = useRef<HTMLSpanElement>(null);
  const [place, setPlace] = useState<CSSProperties>({ left: 0, top: 0 });
  useLayoutEffect(() => {
    const move = () => setPlace(placeAt(anchor, box.current?.offsetWidth ?? 0));
    move();
    window.addEventListener('scroll', move, { capture: true, passive: true });
    window.addEventListener('resize', move);
    return () => {
      window.removeEventListener('scroll', move, { capture: true });
      window.removeEventListener('resize', move);
    };
  }, [anchor]);
  useEffect(() => {
    const press = ({ key }: KeyboardEvent) => key === 'Escape' && onHide();
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
  return createPortal(
    <span ref={box} role="tooltip" className="fixed z-60 max-w-[min(18rem,calc(100vw-1rem))] py-1.5" style={place}>
      <span className="block rounded-lg border border-line bg-raised px-3 py-2 text-sm text-ink shadow-[0_6px_20px_var(--shadow)]">
        {text}
      </span>
    </span>,
    document.body,
  );
}

/** The reason at the top of a form, so that no one fills it in for nothing. */
export function DeniedNotice({ submits }: { submits: SubmittedName }) {
  const { reason } = useDenied(submits);
  return reason === undefined ? null : <Notice tone="wait" title={reason} />;
}
