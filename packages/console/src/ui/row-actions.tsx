import type { ReactNode } from 'react';

/** Actions of a row. On a phone they are below the row’s text and aligned with it. */
export function RowActions({ children }: { children: ReactNode }) {
  return <span className="flex flex-wrap gap-1 max-sm:-ms-3.5">{children}</span>;
}
