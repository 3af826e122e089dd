import { type QueryCache, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useSyncExternalStore } from 'react';

/** Whether the service is unreachable: the device is offline, or the last query got no response. */
export function useOffline(): boolean {
  const queries = useQueryClient();
  const isSilent = useRef(false);
  const subscribe = useCallback(
    (changed: () => void) => {
      const leave = watch(queries, (silent) => {
        isSilent.current = silent;
        changed();
      });
      addEventListener('online', changed);
      addEventListener('offline', changed);
      return () => {
        leave();
        removeEventListener('online', changed);
        removeEventListener('offline', changed);
      };
    },
    [queries],
  );
  return useSyncExternalStore(subscribe, () => !navigator.onLine || isSilent.current);
}

function watch(queries: QueryClient, tell: (silent: boolean) => void): () => void {
  return queries.getQueryCache().subscribe((event: Parameters<Parameters<QueryCache['subscribe']>[0]>[0]) => {
    if (event.type !== 'updated' || !isAsked(event.query.queryKey)) return;
    const { action } = event;
    if (action.type === 'success') tell(false);
    else if (action.type === 'error') tell((action.error as { code?: string } | null)?.code === 'UNREACHABLE');
  });
}

/** Queries computed in the browser reveal nothing about the network. */
const isAsked = ([name]: readonly unknown[]) => name !== 'check' && name !== 'bench';
