import { type HTMLInputTypeAttribute, type ReactNode, useId } from 'react';
import { escapeInvisible } from '../review/escape-invisible.ts';
import { words } from '../words/index.ts';
import { Name } from './name.tsx';

interface Framed {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  optional?: boolean;
}

function Frame({ id, label, hint, error, optional, children }: Framed & { id: string; children: ReactNode }) {
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        <Name text={label} />
        {optional && <span className="ms-1.5 font-normal text-quiet">{words.common.optional}</span>}
      </label>
      {children}
      {error !== undefined && (
        <p id={`${id}-error`} className="text-sm text-bad">
          <Name text={error} />
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-sm text-quiet">
          {hint}
        </p>
      )}
    </div>
  );
}

const about = (id: string, { hint, error }: Framed) => ({
  id,
  'aria-invalid': error !== undefined,
  'aria-describedby':
    [error !== undefined && `${id}-error`, hint !== undefined && `${id}-hint`].filter(Boolean).join(' ') || undefined,
});

interface TextProps extends Framed {
  value: string;
  onChange(value: string): void;
  type?: HTMLInputTypeAttribute;
  placeholder?: string;
  autoComplete?: string;
  inputMode?: 'text' | 'numeric' | 'decimal' | 'email';
  autoFocus?: boolean;
  mono?: boolean;
  required?: boolean;
  /** The key `/` focuses this field. */
  search?: boolean;
}

export function TextField({
  value,
  onChange,
  type = 'text',
  mono = false,
  search = false,
  autoComplete = 'off',
  ...rest
}: TextProps) {
  const id = useId();
  const { label, hint, error, optional, ...input } = rest;
  return (
    <Frame id={id} {...{ label, hint, optional: optional ?? false }} error={error}>
      <input
        {...about(id, rest)}
        {...input}
        {...(search && { 'data-search': '' })}
        type={type}
        autoComplete={autoComplete}
        dir="auto"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={`field ${mono ? 'font-mono' : ''}`}
      />
    </Frame>
  );
}

export function TextArea({
  value,
  onChange,
  rows = 4,
  mono = false,
  placeholder,
  ...rest
}: Framed & { value: string; onChange(value: string): void; rows?: number; mono?: boolean; placeholder?: string }) {
  const id = useId();
  return (
    <Frame id={id} {...rest}>
      <textarea
        {...about(id, rest)}
        rows={rows}
        placeholder={placeholder}
        // SECURITY: D311: browsers write the content of other fields into their session files.
        autoComplete="off"
        dir="auto"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={`field break-all ${mono ? 'font-mono text-sm' : ''}`}
      />
    </Frame>
  );
}

export interface Option {
  readonly value: string;
  readonly label: string;
}

/** The native select of the platform. */
export function SelectField({
  value,
  onChange,
  options,
  ...rest
}: Framed & { value: string; onChange(value: string): void; options: readonly Option[] }) {
  const id = useId();
  return (
    <Frame id={id} {...rest}>
      <select {...about(id, rest)} value={value} onChange={(event) => onChange(event.target.value)} className="field">
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {escapeInvisible(option.label)}
          </option>
        ))}
      </select>
    </Frame>
  );
}

export function CheckField({
  checked,
  onChange,
  label,
  hint,
}: {
  checked: boolean;
  onChange(checked: boolean): void;
  label: string;
  hint?: string;
}) {
  const id = useId();
  return (
    <div className="flex items-start gap-2.5">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className="mt-1 size-4 accent-(--accent)"
      />
      <div>
        <label htmlFor={id} className="break-words">
          <Name text={label} />
        </label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="text-sm text-quiet">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
