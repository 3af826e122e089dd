import type { ReactNode } from 'react';
import { Name } from './name.tsx';
import { usePageTitle } from './page-title.ts';

/** Page header: title, lead sentence and actions. */
export function PageHead({ title, lead, children }: { title: string; lead?: ReactNode; children?: ReactNode }) {
  usePageTitle(title);
  return (
    <header className="mb-6 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        <h1 className="text-2xl font-semibold tracking-tight break-words md:text-3xl">
          <Name text={title} />
        </h1>
        {lead !== undefined && <p className="mt-1 max-w-[62ch] break-words text-quiet">{lead}</p>}
      </div>
      {children && <div className="flex flex-wrap gap-2">{children}</div>}
    </header>
  );
}
