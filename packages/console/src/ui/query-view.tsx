import type { ReactNode } from 'react';
import { messageOf } from '../data/errors.ts';
import { words } from '../words/index.ts';
import { Button } from './button.tsx';
import { Loading, Notice } from './page.tsx';

/** An error message, with a retry button. */
export function ErrorMessage({ error, retry }: { error: unknown; retry?: () => void }) {
  return (
    <Notice tone="bad" role="alert" title={messageOf(error)}>
      {retry && (
        <div className="mt-2">
          <Button onClick={retry}>{words.common.tryAgain}</Button>
        </div>
      )}
    </Notice>
  );
}

/** Renders the data of a query, its error, or a loading state. */
export function QueryView<Data>({
  query,
  loaded = 0,
  children,
}: {
  /** Number of rows loaded so far. */
  loaded?: number;
  query: { readonly data: Data | undefined; readonly error: unknown; refetch(): unknown };
  children: (data: Data) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <ErrorMessage error={query.error} retry={() => void query.refetch()} />;
  return <Loading count={loaded} />;
}
