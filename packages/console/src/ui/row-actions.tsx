import type { ReactNode } from 'react';

/** What can be done with a row. On a phone it stands below the row’s text, and its words begin where that text does. */
export function RowActions({ children }: { children: ReactNode }) {
  return <span className="flex flex-wrap gap-1 max-sm:-ms-3.5">{children}</span>;
}
