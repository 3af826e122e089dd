import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

const looks = {
  solid: 'bg-accent text-on-accent hover:bg-accent-deep border border-transparent',
  plain: 'bg-surface text-ink border border-line-strong hover:bg-sunken',
  quiet: 'text-accent border border-transparent hover:bg-sunken',
  danger: 'bg-bad-solid text-on-bad border border-transparent hover:opacity-90',
  dangerPlain: 'bg-surface text-bad border border-line-strong hover:bg-bad-soft',
} as const;

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className'> {
  look?: keyof typeof looks;
  icon?: IconName;
  busy?: boolean;
  large?: boolean;
  wide?: boolean;
  children: ReactNode;
}

/** A button. While `busy` it is disabled and shows a spinner. */
export function Button({
  look = 'plain',
  icon,
  busy = false,
  large = false,
  wide = false,
  children,
  disabled,
  type = 'button',
  ...rest
}: ButtonProps) {
  const size = large ? 'min-h-12 px-5 text-lg rounded-xl' : 'min-h-9 px-3.5 rounded-lg';
  return (
    <button
      type={type}
      disabled={disabled || busy}
      aria-busy={busy}
      className={`inline-flex items-center justify-center gap-2 font-medium transition-colors disabled:opacity-55 aria-disabled:cursor-not-allowed aria-disabled:opacity-55 ${size} ${wide ? 'w-full' : ''} ${looks[look]}`}
      {...rest}
    >
      {busy ? <Spinner /> : icon && <Icon name={icon} size={18} />}
      {children}
    </button>
  );
}

/** A square button with only an icon. `label` is for screen readers. */
export function IconButton({
  icon,
  label,
  ...rest
}: { icon: IconName; label: string } & Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className'>) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className="inline-flex size-8 items-center justify-center rounded-lg text-quiet hover:bg-sunken hover:text-ink"
      {...rest}
    >
      <Icon name={icon} size={18} />
    </button>
  );
}

export function Spinner() {
  return <span aria-hidden="true" className="size-4 animate-spin rounded-full border-2 border-current border-e-transparent" />;
}
