import { useState } from 'react';
import { escapeInvisible } from '../review/escape-invisible.ts';
import { words } from '../words/index.ts';
import { Icon } from './icon.tsx';

/** Copies a text to the clipboard and shows a short confirmation. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  const label = copied ? words.common.copied : words.common.copyWhat(what);
  return (
    <button
      type="button"
      onClick={copy}
      aria-label={label}
      title={label}
      className={`inline-flex size-7 shrink-0 items-center justify-center rounded-md hover:bg-sunken ${copied ? 'text-good' : 'text-quiet hover:text-ink'}`}
    >
      <Icon name={copied ? 'check' : 'copy'} size={16} />
    </button>
  );
}

/** An address, a hash or an id. The middle may be omitted; copying includes all of it. */
export function Code({
  text,
  short = false,
  what,
  plain = false,
}: {
  text: string;
  short?: boolean;
  what: string;
  plain?: boolean;
}) {
  const shown = escapeInvisible(short && text.length > 20 ? `${text.slice(0, 10)}…${text.slice(-8)}` : text);
  return (
    <span className="inline-flex max-w-full items-center gap-1 align-middle">
      <code title={short ? text : undefined} className="min-w-0 font-mono text-[0.86em] break-all">
        {shown}
      </code>
      {!plain && <CopyButton text={text} what={what} />}
    </span>
  );
}
