import { activitySteps, type Client } from '@countersign/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { isSessionEnded } from '../data/errors.ts';
import { refresh, refreshLoaded } from '../data/refresh.ts';
import { useSession, useSessionState } from '../session/context.tsx';

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
/** Beyond the end of any log, so that the response contains only the head. */
const BEYOND = '999999999999999';

/**
 * Follows the log of the organization and refreshes the visible queries on every new entry. Only a visible page follows, because each
 * follower holds a connection and browsers allow six.
 */
export function useLive(): void {
  const { reader } = useSession();
  const { lapse } = useSessionState();
  const queries = useQueryClient();
  useEffect(() => {
    let stop = new AbortController();
    const begin = (catchUp: typeof refresh) => {
      stop.abort();
      if (document.hidden) return;
      stop = new AbortController();
      void catchUp(queries);
      void follow(reader, stop.signal, () => void refresh(queries), lapse);
    };
    begin(refreshLoaded);
    const beginAgain = () => begin(refresh);
    document.addEventListener('visibilitychange', beginAgain);
    return () => {
      document.removeEventListener('visibilitychange', beginAgain);
      stop.abort();
    };
  }, [reader, queries, lapse]);
}

async function follow(reader: Client, signal: AbortSignal, happened: () => void, lapse: () => void): Promise<void> {
  for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      const { head } = await reader.listLogEntries({ from: BEYOND, limit: '1' }, { signal });
      for await (const _ of activitySteps(reader.listLogEntries, Number(head.sequence) + 1, { follow: true, signal })) {
        happened();
        pauseMs = FIRST_PAUSE_MS;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isSessionEnded(error)) return lapse();
      // The service is unavailable or has too many followers. Retry with backoff, then refresh.
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      if (!signal.aborted) happened();
    }
  }
}
