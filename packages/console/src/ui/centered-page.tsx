import { type ReactNode, useEffect } from 'react';
import { words } from '../words/index.ts';
import { Mark } from './icon.tsx';

/** Frame of the pages before sign-in: one centered card. */
export function CenteredPage({ title, lead, children }: { title: string; lead: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · ${words.common.product}`;
  }, [title]);
  return (
    <main className="grid min-h-dvh content-center justify-items-center px-4 py-10">
      <div className="mb-6 flex items-center gap-3">
        <Mark size={36} />
        <span className="text-xl font-semibold tracking-tight">{words.common.product}</span>
      </div>
      <div className="card w-full max-w-md p-6 shadow-[0_10px_40px_var(--shadow)] md:p-8">
        <h1 className="text-2xl font-semibold">{title}</h1>
        <p className="mt-2 mb-6 text-quiet">{lead}</p>
        {children}
      </div>
    </main>
  );
}
