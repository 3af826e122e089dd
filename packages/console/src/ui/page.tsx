import { type ReactNode, useId } from 'react';
import { words } from '../words/index.ts';
import { Icon, type IconName } from './icon.tsx';
import { Name } from './name.tsx';

/** A section with a heading. */
export function Section({
  title,
  lead,
  action,
  children,
}: {
  title: string;
  lead?: ReactNode;
  action?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="mb-8">
      <div className="mb-2 flex flex-wrap items-end justify-between gap-3 sm:flex-nowrap">
        <div className="min-w-0">
          <h2 id={id} className="text-lg font-semibold">
            {title}
          </h2>
          {lead !== undefined && <p className="text-sm text-quiet">{lead}</p>}
        </div>
        {action && <div className="flex shrink-0 flex-wrap gap-2 max-sm:shrink">{action}</div>}
      </div>
      {children}
    </section>
  );
}

/** Empty state of a list. */
export function Empty({ icon, title, text, children }: { icon: IconName; title: string; text: ReactNode; children?: ReactNode }) {
  return (
    <div className="card grid justify-items-center gap-2 px-6 py-12 text-center">
      <span className="mb-2 inline-flex size-12 items-center justify-center rounded-full bg-accent-soft text-accent">
        <Icon name={icon} size={24} />
      </span>
      <p className="text-lg font-semibold">{title}</p>
      <p className="max-w-[46ch] text-quiet">{text}</p>
      {children && <div className="mt-3 flex flex-wrap justify-center gap-2">{children}</div>}
    </div>
  );
}

/** `count` is the number of rows loaded so far. */
export function Loading({ count = 0 }: { count?: number }) {
  return (
    <div role="status" className="grid gap-3 py-2">
      {count === 0 ? (
        <span className="sr-only">{words.common.loading}</span>
      ) : (
        <span className="number text-quiet">{words.common.loadedSoFar(count)}</span>
      )}
      {[72, 54, 63].map((width) => (
        <div key={width} className="h-5 animate-pulse rounded-md bg-sunken" style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}

const tones = {
  good: 'bg-good-soft text-good',
  wait: 'bg-wait-soft text-wait',
  bad: 'bg-bad-soft text-bad',
  calm: 'bg-sunken text-quiet',
  accent: 'bg-accent-soft text-accent',
} as const;

export type Tone = keyof typeof tones;

export function Badge({ tone = 'calm', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className={`inline-block max-w-full truncate rounded-full px-2 py-0.5 text-xs font-medium ${tones[tone]}`}>
      {typeof children === 'string' ? <Name text={children} /> : children}
    </span>
  );
}

/** A prominent message box. */
export function Notice({
  tone,
  title,
  children,
  role,
}: {
  tone: 'good' | 'wait' | 'bad';
  title: string;
  children?: ReactNode;
  role?: 'alert';
}) {
  return (
    <div role={role} className={`flex gap-3 rounded-xl p-4 ${tones[tone]}`}>
      <Icon name={tone === 'good' ? 'check' : 'warning'} className="mt-0.5" />
      <div className="min-w-0">
        <p className="font-semibold break-words">
          <Name text={title} />
        </p>
        {children && <div className="mt-0.5 wrap-anywhere text-ink">{children}</div>}
      </div>
    </div>
  );
}

/** A list of names and values. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid items-baseline gap-x-6 gap-y-2 sm:grid-cols-[max-content_minmax(0,1fr)]">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-sm text-quiet">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A collapsible section. */
export function Fold({ title, open = false, children }: { title: ReactNode; open?: boolean; children: ReactNode }) {
  return (
    <details open={open} className="group card overflow-hidden">
      <summary className="flex list-none items-center gap-2 px-4 py-3 font-medium hover:bg-sunken">
        <Icon name="chevron" size={16} className="text-quiet transition-transform group-open:rotate-90" />
        {title}
      </summary>
      <div className="border-t border-line px-4 py-3">{children}</div>
    </details>
  );
}
