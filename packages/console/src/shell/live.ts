import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { isSessionOver } from '../data/errors.ts';
import { useSession, useSessionState } from '../session/context.tsx';

const PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 30_000;
/** Beyond the end of any log: the answer then only tells where the end is. */
const BEYOND = '999999999999999';

/** Follows what happens in the organization, and has everything that is shown asked for again when something did. */
export function useLive(): void {
  const { reader } = useSession();
  const { lapse } = useSessionState();
  const queries = useQueryClient();
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const follow = async () => {
      let seen: string | undefined;
      for (let pauseMs = PAUSE_MS; !signal.aborted; ) {
        try {
          const { head } = await reader.listLogEntries({ from: BEYOND, limit: '1' }, { signal });
          if (seen !== undefined && head.sequence !== seen) await queries.invalidateQueries();
          seen = head.sequence;
          pauseMs = PAUSE_MS;
        } catch (error) {
          if (signal.aborted) return;
          if (isSessionOver(error)) return lapse();
          // The service is away for a while. Ask again, less often.
          pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
        }
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    };
    void follow();
    return () => stop.abort();
  }, [reader, queries, lapse]);
}
